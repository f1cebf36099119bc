// Proves in a thread of its own: the page stays alive, and can end a proof that does not end.
if ('Suspending' in WebAssembly) {
  self.Module = {
    onRuntimeInitialized: () => {
      const choices = Module.UTF8ToString(Module._list_choices()).trimEnd().split('\n').map(line => line.split('\t'));
      postMessage({choices});
    },
    onAbort: reason => postMessage({failed: String(reason)}),
  };
  importScripts('prove_program.js');
} else {
  postMessage({failed: 'this browser has no JavaScript promise integration (JSPI), by which the emulator\'s threads take turns'});
}

self.onmessage = async ({data}) => {
  const begin = performance.now();
  try {
    const text = Module.UTF8ToString(await WebAssembly.promising(Module.asm.prove_choice)(data.number));
    const milliseconds = performance.now() - begin;
    const steps = Module._count_steps();
    const folded = Module.UTF8ToString(Module._draw_schedule(24));
    const whole = steps > 24 ? Module.UTF8ToString(Module._draw_schedule(steps)) : '';
    postMessage({number: data.number, text, steps, folded, whole, milliseconds});
  } catch (error) {
    postMessage({failed: String(error)});
  }
};
