// Reads and proves PTX in a thread of its own: the page stays alive, and can end a proof that takes long.
if ('Suspending' in WebAssembly) {
  self.Module = {
    onRuntimeInitialized: () => postMessage({ready: true}),
    onAbort: reason => postMessage({failed: String(reason)}),
  };
  importScripts('ptx_program.js');
} else {
  postMessage({failed: 'this browser has no JavaScript promise integration (JSPI), by which the emulator\'s threads take turns'});
}

function give(which, text) {
  const bytes = new TextEncoder().encode(text);
  const place = Module._take_text(which, bytes.length);
  Module.HEAPU8.set(bytes, place);
}

self.onmessage = async ({data}) => {
  const begin = performance.now();
  try {
    give(0, data.ptx);
    give(1, data.file);
    if (data.launches === undefined) {
      postMessage(JSON.parse(Module.UTF8ToString(Module._list_entries())));
      return;
    }
    give(2, data.launches);
    const answer = JSON.parse(Module.UTF8ToString(await WebAssembly.promising(Module.asm.prove_ptx)()));
    answer.milliseconds = performance.now() - begin;
    if (answer.steps) answer.folded = Module.UTF8ToString(Module._draw_schedule(24));
    if (answer.steps > 24) answer.whole = Module.UTF8ToString(Module._draw_schedule(answer.steps));
    postMessage(answer);
  } catch (error) {
    postMessage({failed: String(error)});
  }
};
