// Each element of class site-prove with the data `name` becomes that kernel: its source with a button for each mistake,
// the verdict that the prover gives in this browser, and the shortest schedule as a picture.

const SECONDS = 5; // that a proof may take
const here = name => new URL(name, import.meta.url);

const STYLE = `
.site-prove { margin: 1em 0; padding: 12px 14px; border: 1px solid #727a8466; border-radius: 8px; }
.site-prove button { font: inherit; font-size: .9em; margin: 0 6px 6px 0; padding: 3px 10px; cursor: pointer;
  color: inherit; background: none; border: 1px solid #727a84; border-radius: 14px; }
.site-prove button[aria-pressed=true] { color: #16191d; background: #8ecae6; border-color: #8ecae6; }
.site-prove pre { margin: 4px 0; padding: 6px 0; overflow-x: auto; font-size: .8em; line-height: 1.45; background: none; }
.site-prove .source span { display: block; white-space: pre; padding-left: 3.4em; text-indent: -3.4em; }
.site-prove .source i { display: inline-block; width: 2.6em; margin-right: .8em; text-align: right; text-indent: 0;
  font-style: normal; opacity: .55; user-select: none; }
.site-prove .added { background: #f4a09a44; }
.site-prove .removed { text-decoration: line-through; opacity: .55; }
.site-prove .named i { opacity: 1; color: #d1383d; font-weight: bold; }
.site-prove .kind { font-weight: bold; margin: 8px 0 2px; }
.site-prove .kind.proved { color: #3f9b57; }
.site-prove .kind.failed { color: #d1383d; }
.site-prove .message { margin: 2px 0 8px; overflow-wrap: anywhere; }
.site-prove .schedule { overflow-x: auto; }
.site-prove .note { font-size: .85em; opacity: .75; }
`;

/// What the source says with a mistake: {number, text} of each line that a compiler sees, and a reader needs.
export function linesOf(source, mistake) {
  const lines = [];
  const regions = []; // of #if: whether an earlier part was taken, and whether this one is
  const isIt = token => token === (mistake === 'none' ? 'NO_MISTAKE' : mistake.toUpperCase());
  source.split('\n').forEach((line, index) => {
    const [, directive, token] = /^#(if|elif|else|endif)(?: MISTAKE == (\w+))?/.exec(line) || [];
    if (directive === 'if') {
      regions.push({wasTaken: isIt(token), isTaken: isIt(token)});
    } else if (directive === 'endif') {
      regions.pop();
    } else if (directive) {
      const region = regions.at(-1);
      region.isTaken = !region.wasTaken && (directive === 'else' || isIt(token));
      region.wasTaken ||= region.isTaken;
    } else if (regions.every(region => region.isTaken)) {
      const text = said(line, mistake);
      if (text !== null) lines.push({number: index + 1, text});
    }
  });
  const first = lines.findIndex(({text}) => /^(template|struct) /.test(text));
  return lines.slice(first).filter(({number, text}, i, kept) => text !== '' || i + 1 < kept.length);
}

/// A line of C++ whose condition on the mistake is decided; null where nothing of it is left.
function said(line, mistake) {
  const chosen = line.replace(/mistake == Mistake::(\w+) \? ((?:[^:]|::)+) : ((?:[^();]|\([^()]*\))+)/,
                              (_, name, yes, no) => name === mistake ? yes : no);
  const [all, indent, sign, name, more, rest] =
    /^(\s*)if \(mistake (==|!=) Mistake::(\w+)(?: && (.*?))?\) (?=\w)(.*)$/.exec(chosen) || [];
  if (all === undefined) return chosen;
  return (name === mistake) === (sign === '==') ? indent + (more ? `if (${more}) ` : '') + rest : null;
}

/// The lines of the right kernel and of the wrong one in one list, each with what became of it.
export function difference(right, wrong) {
  const text = lines => new Map(lines.map(line => [line.number, line.text]));
  const [before, after] = [text(right), text(wrong)];
  const numbers = [...new Set([...before.keys(), ...after.keys()])].sort((a, b) => a - b);
  return numbers.flatMap(number => {
    const [old, now] = [before.get(number), after.get(number)];
    if (old === now) return [{number, text: now, change: ''}];
    return [old === undefined ? [] : {number, text: old, change: 'removed'},
            now === undefined ? [] : {number, text: now, change: 'added'}].flat();
  });
}

/// The one worker of a page, and which element it works for.
class Prover {
  asked = null;

  async choices() {
    this.start();
    return this.ready;
  }
  /// @return  the worker's answer, or {failed}
  async prove(number) {
    while (this.asked) await this.asked;
    this.asked = this.answer(number);
    try {
      return await this.asked;
    } finally {
      this.asked = null;
    }
  }
  start() {
    if (this.worker) return;
    this.worker = new Worker(here('worker.js'));
    this.ready = new Promise((resolve, reject) => {
      this.worker.onmessage = ({data}) => data.choices ? resolve(data.choices) : reject(data.failed);
      this.worker.onerror = error => reject(error.message || 'the program was not loaded');
    });
  }
  async answer(number) {
    this.start();
    try {
      await this.ready;
    } catch (reason) {
      return {failed: reason};
    }
    return new Promise(resolve => {
      const timer = setTimeout(() => {
        this.worker.terminate();
        this.worker = null;
        resolve({failed: `the proof took longer than ${SECONDS} seconds, and this page ended it`});
      }, SECONDS * 1000);
      this.worker.onmessage = ({data}) => { clearTimeout(timer); resolve(data); };
      this.worker.onerror = error => { clearTimeout(timer); resolve({failed: error.message}); };
      this.worker.postMessage({number});
    });
  }
}

const element = (tag, kind, text = '') => Object.assign(document.createElement(tag), {className: kind, textContent: text});

async function fill(place, prover) {
  const kernel = place.dataset.name;
  const note = place.appendChild(element('p', 'note', 'loading the prover ...'));
  let choices;
  try {
    choices = (await prover.choices()).map(([of, mistake, label], number) => ({of, mistake, label, number}))
      .filter(choice => choice.of === kernel);
  } catch (reason) {
    note.textContent = `No proof here: ${reason}.`;
    return;
  }
  const response = await fetch(here(`${kernel}.hpp`));
  const source = response.ok ? await response.text() : '';
  const buttons = place.insertBefore(element('div', 'choices'), note);
  const code = place.insertBefore(element('pre', 'source'), note);
  const kind = place.insertBefore(element('p', 'kind'), note);
  kind.setAttribute('aria-live', 'polite');
  const message = place.insertBefore(element('p', 'message'), note);
  const schedule = place.insertBefore(element('div', 'schedule'), note);
  const more = place.insertBefore(element('button', 'more'), note);
  const details = place.insertBefore(element('details', 'text'), note);
  details.append(element('summary', '', 'the verdict as a program prints it'), element('pre', 'verdict'));

  const showSource = (mistake, told) => {
    code.replaceChildren(...difference(linesOf(source, 'none'), linesOf(source, mistake)).map(line => {
      const isNamed = line.change !== 'removed' && new RegExp(`\\b${kernel}\\.hpp:${line.number}\\b`).test(told);
      const span = element('span', `${line.change} ${isNamed ? 'named' : ''}`);
      span.append(element('i', '', line.number), line.text);
      return span;
    }));
    code.hidden = source === '';
  };
  const showAnswer = answer => {
    const [first = '', second = '', ...rest] = (answer.text || '').split('\n');
    const isProved = first.startsWith('proved');
    kind.className = `kind ${answer.failed ? '' : isProved ? 'proved' : 'failed'}`;
    kind.textContent = answer.failed ? '' : first.replace(/ \(.*/, '');
    message.textContent = answer.failed ? `No verdict: ${answer.failed}.` : second;
    schedule.innerHTML = answer.folded || '';
    more.hidden = !answer.whole;
    more.textContent = `all ${answer.steps} steps`;
    more.onclick = () => { schedule.innerHTML = answer.whole; more.hidden = true; };
    details.hidden = Boolean(answer.failed);
    details.querySelector('pre').textContent = answer.text || '';
    note.textContent = answer.failed ? '' : `Answered in this browser in ${answer.milliseconds.toFixed(0)} ms` +
      (isProved || answer.steps ? '.' : '; the rule is broken under every schedule, so none is drawn.');
  };
  const choose = async choice => {
    for (const button of buttons.children) button.setAttribute('aria-pressed', button.value === choice.mistake);
    showSource(choice.mistake, '');
    place.dataset.state = 'proving';
    note.textContent = 'proving ...';
    const answer = await prover.prove(choice.number);
    showSource(choice.mistake, (answer.text || '').split('\n')[1] || '');
    showAnswer(answer);
    place.dataset.state = 'told';
  };
  for (const choice of choices) {
    const button = buttons.appendChild(element('button', '', choice.label));
    Object.assign(button, {type: 'button', value: choice.mistake, onclick: () => choose(choice)});
  }
  await choose(choices[0]);
}

if (typeof document !== 'undefined') {
  document.head.append(element('style', '', STYLE));
  const prover = new Prover();
  // A reader who does not come near loads nothing.
  const watch = new IntersectionObserver(entries => {
    for (const {target} of entries.filter(entry => entry.isIntersecting)) {
      watch.unobserve(target);
      fill(target, prover);
    }
  }, {rootMargin: '300px'});
  for (const place of document.querySelectorAll('.site-prove')) watch.observe(place);
}
