let lines = '';
self.Module = {
  print: line => { lines += line + '\n'; },
  printErr: line => { lines += line + '\n'; },
  onRuntimeInitialized: async () => {
    try {
      const broken = await WebAssembly.promising(Module.asm.main)(0, 0);
      postMessage(lines + 'broken: ' + broken);
    } catch (error) {
      postMessage(lines + error);
    }
  },
};
importScripts('web_fibers.js');
