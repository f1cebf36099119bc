// Stacks of emulated threads in WebAssembly by JavaScript's promises: emcc's option --js-library. An export that runs
// kernels is called as `await WebAssembly.promising(Module.asm.name)(...)`, in a browser that has these.
mergeInto(LibraryManager.library, {
  $dmaStacks: '{left: new Map(), enter: null}', // what continues each execution that was left
  $dmaLeaveFor__deps: ['$dmaStacks'],
  $dmaLeaveFor: function (from, to, top) {
    const until = new Promise(resolve => dmaStacks.left.set(from, resolve));
    const goOn = dmaStacks.left.get(to);
    if (goOn) {
      dmaStacks.left.delete(to);
      goOn();
    } else {
      dmaStacks.enter = dmaStacks.enter || WebAssembly.promising(Module['asm']['dma_enter']);
      Module['asm']['stackRestore'](top);
      dmaStacks.enter(to);
    }
    return until;
  },
  dma_leave_for__deps: ['$dmaLeaveFor'],
  dma_leave_for: 'new WebAssembly.Suspending(dmaLeaveFor)',
});
