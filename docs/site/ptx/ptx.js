// Each element of class site-ptx becomes a place to prove PTX: a text box, a form for the launches, examples, the verdict
// as dma-prove prints it, and the shortest schedule as a picture.

const here = name => new URL(name, import.meta.url);
const STEPS = 24; // of a schedule that is not folded

const STYLE = `
.site-ptx { margin: 1em 0; padding: 12px 14px; border: 1px solid #727a8466; border-radius: 8px; }
.site-ptx button { font: inherit; font-size: .9em; margin: 0 6px 6px 0; padding: 3px 10px; cursor: pointer;
  color: inherit; background: none; border: 1px solid #727a84; border-radius: 14px; }
.site-ptx button[aria-pressed=true], .site-ptx button.prove { color: #16191d; background: #8ecae6; border-color: #8ecae6; }
.site-ptx button:disabled { opacity: .45; cursor: default; }
.site-ptx [hidden] { display: none !important; }
.site-ptx .about { margin: 4px 0 8px; }
.site-ptx .texts { display: grid; grid-template-columns: minmax(0, 1fr); gap: 10px; }
@media (min-width: 900px) { .site-ptx .texts.both { grid-template-columns: minmax(0, 1fr) minmax(0, 1fr); } }
.site-ptx .editor { position: relative; height: 320px; border: 1px solid #727a8466; border-radius: 4px; overflow: hidden; }
.site-ptx :is(.gutter, .ptx, .source, .verdict, .command) { font: 12px/18px "DejaVu Sans Mono", ui-monospace, monospace; }
.site-ptx .gutter { position: absolute; top: 0; left: 0; width: 3.6em; margin: 0; padding: 6px 0; white-space: pre; text-align: right;
  opacity: .55; background: none; }
.site-ptx .mark { position: absolute; left: 0; right: -100vw; height: 18px; background: #f4a09a66; pointer-events: none; }
.site-ptx .ptx { position: absolute; top: 0; left: 4.4em; width: calc(100% - 4.4em); height: 100%; box-sizing: border-box; margin: 0;
  padding: 6px 4px; border: 0; outline-offset: -2px; resize: none; color: inherit; background: none; white-space: pre; overflow: auto;
  tab-size: 4; }
.site-ptx .source { margin: 0; padding: 6px 0; max-height: 322px; box-sizing: border-box; overflow: auto; border: 1px solid #727a8466;
  border-radius: 4px; background: none; tab-size: 4; }
.site-ptx .source span { display: block; width: max-content; min-width: 100%; white-space: pre; }
.site-ptx .source i { display: inline-block; width: 2.6em; margin-right: .8em; text-align: right; font-style: normal; opacity: .55;
  user-select: none; }
.site-ptx .named { background: #f4a09a44; }
.site-ptx .named i { opacity: 1; color: #d1383d; font-weight: bold; }
.site-ptx .launches { margin: 10px 0 6px; }
.site-ptx .launch { display: flex; flex-wrap: wrap; gap: 6px; margin-bottom: 8px; align-items: end; }
.site-ptx .launch.wrong input { border-color: #d1383d; }
.site-ptx .launch label { display: flex; flex-direction: column; font-size: .75em; opacity: .9; flex: 1 1 5em; min-width: 4.5em; }
.site-ptx .launch label.part-kernel { flex-grow: 2; }
.site-ptx .launch label.part-arguments { flex: 8 1 18em; }
.site-ptx .launch input { font: 12px/18px "DejaVu Sans Mono", ui-monospace, monospace; padding: 3px 5px; min-width: 0; color: inherit;
  background: none; border: 1px solid #727a84; border-radius: 4px; }
.site-ptx .launch button { margin: 0; }
.site-ptx .kind { font-weight: bold; margin: 8px 0 2px; }
.site-ptx .kind.proved { color: #3f9b57; }
.site-ptx .kind.failed { color: #d1383d; }
.site-ptx :is(.verdict, .command) { margin: 4px 0; padding: 4px 0; white-space: pre-wrap; overflow-wrap: anywhere; background: none; }
.site-ptx .schedule { overflow-x: auto; }
.site-ptx .note { font-size: .85em; opacity: .75; }
`;

const element = (tag, kind, text = '') => Object.assign(document.createElement(tag), {className: kind, textContent: text});
const button = (kind, text, onclick) => Object.assign(element('button', kind, text), {type: 'button', onclick});

/// The parts of a launch line: kernel, grid, block, what else is in <<< >>>, and arguments.
export function partsOf(line) {
  const [, kernel, configuration, values] = /^(.*?)<<<(.*?)>>>\((.*)\)$/s.exec(line);
  const [grid, block, ...more] = configuration.split(/,(?![^(]*\))/).map(part => part.trim());
  return {kernel, grid, block, more: more.join(', '), arguments: values};
}
export function lineOf({kernel, grid, block, more, arguments: values}) {
  return `${kernel}<<<${grid}, ${block}${more.trim() === '' ? '' : `, ${more}`}>>>(${values})`;
}
/// The PTX with what mends an example: a line behind the first one with some text.
export function mended(ptx, {insert, behind}) {
  return ptx.replace(new RegExp(`^.*${behind.replace('.', '\\.')}.*$`, 'm'), line => `${line}\n\t${insert}`);
}

/// The worker, which does one thing at a time.
class Prover {
  /// @return  the worker's answer, {failed} or {cancelled}
  async ask(question) {
    while (this.asked) await this.asked;
    this.asked = this.answer(question);
    try {
      return await this.asked;
    } finally {
      this.asked = null;
    }
  }
  async answer(question) {
    const worker = this.worker ||= this.start();
    const answer = await new Promise(resolve => {
      this.end = () => resolve({cancelled: true});
      this.ready.then(() => {
        worker.onmessage = ({data}) => resolve(data);
        worker.onerror = error => resolve({failed: error.message});
        worker.postMessage(question);
      }, reason => resolve({failed: reason}));
    });
    if (answer.failed || answer.cancelled) {
      worker.terminate();
      this.worker = null; // the next question is answered by a new one
    }
    return answer;
  }
  start() {
    const worker = new Worker(here('worker.js'));
    this.ready = new Promise((resolve, reject) => {
      worker.onmessage = ({data}) => data.ready ? resolve() : reject(data.failed);
      worker.onerror = error => reject(error.message || 'the program was not loaded');
    });
    return worker;
  }
  /// Ends what is asked.
  cancel() { this.end?.(); }
}

/// The text box, with the numbers of its lines.
class Editor {
  constructor(place, onInput) {
    this.box = place.appendChild(element('div', 'editor'));
    this.gutter = this.box.appendChild(element('div', 'gutter'));
    this.marks = this.box.appendChild(element('div', 'marks'));
    this.text = this.box.appendChild(Object.assign(element('textarea', 'ptx'), {wrap: 'off', spellcheck: false}));
    this.text.setAttribute('aria-label', 'PTX');
    this.text.onscroll = () => this.follow();
    this.text.oninput = () => { this.number(); onInput(); };
  }
  get value() { return this.text.value; }
  set value(text) {
    this.text.value = text;
    this.number();
  }
  number() {
    const count = this.text.value.split('\n').length;
    if (count !== this.count) this.gutter.textContent = Array.from({length: count}, (_, i) => i + 1).join('\n');
    this.count = count;
    this.mark([]);
  }
  follow() {
    this.gutter.style.transform = this.marks.style.transform = `translateY(${-this.text.scrollTop}px)`;
  }
  /// Marks lines, and shows the first.
  mark(lines, column = 1) {
    this.marks.replaceChildren(...lines.map(line => {
      const mark = element('div', 'mark');
      mark.style.top = `${6 + 18 * (line - 1)}px`;
      mark.dataset.line = line;
      return mark;
    }));
    if (lines.length === 0) return;
    const before = this.text.value.split('\n').slice(0, lines[0] - 1).reduce((sum, line) => sum + line.length + 1, 0);
    this.text.setSelectionRange(before + column - 1, before + column);
    this.show(lines[0] - 6);
  }
  /// Scrolls to a line, from 0.
  show(line) {
    this.text.scrollTop = 18 * Math.max(0, line);
    this.follow();
  }
}

const FIELDS = [['kernel', 'kernel', ''], ['grid', 'grid', '1'], ['block', 'block', '32'], ['more', 'more', ''],
                ['arguments', 'arguments', '']];

/// The form of the launches: a row for each, whose fields are the parts of its line.
class Launches {
  constructor(place, entries) {
    this.rows = place.appendChild(element('div', 'launches'));
    this.entries = entries;
    place.append(button('add', 'add a launch', () => this.add()));
  }
  add(parts = {}) {
    const row = this.rows.appendChild(element('div', 'launch'));
    for (const [name, label, value] of FIELDS) {
      const field = row.appendChild(element('label', `part-${name}`, label)).appendChild(element('input', ''));
      Object.assign(field, {name, value: parts[name] ?? value, spellcheck: false, autocomplete: 'off'});
      if (name === 'kernel') field.setAttribute('list', this.entries.id);
      if (name === 'arguments') field.placeholder = 'x: f32[256] = random, y: out f32[256], 4';
      if (name === 'more') field.title = 'shared bytes, cluster n, programmatic';
    }
    row.append(button('remove', 'remove', () => row.remove()));
  }
  set lines(lines) {
    this.rows.replaceChildren();
    lines.forEach(line => this.add(partsOf(line)));
  }
  get lines() {
    return [...this.rows.children].map(row =>
      lineOf(Object.fromEntries([...row.querySelectorAll('input')].map(field => [field.name, field.value]))));
  }
  mark(line) {
    [...this.rows.children].forEach((row, i) => row.classList.toggle('wrong', i + 1 === line));
  }
}

/// The .cu of an example, with the lines that a verdict names.
function showSource(pre, source, file, told) {
  pre.replaceChildren(...source.trimEnd().split('\n').map((text, i) => {
    const span = element('span', new RegExp(`\\b${file}:${i + 1}\\b`).test(told) ? 'named' : '');
    span.append(element('i', '', i + 1), text);
    return span;
  }));
}

async function fill(place, prover) {
  const examples = await (await fetch(here('examples.json'))).json();
  const choices = place.appendChild(element('div', 'choices'));
  const about = place.appendChild(element('p', 'about'));
  const entries = place.appendChild(Object.assign(element('datalist', ''), {id: 'site-ptx-entries'}));
  const texts = place.appendChild(element('div', 'texts'));
  let example = null; // whose PTX, perhaps changed, is in the box
  let timer = 0;
  const editor = new Editor(texts, () => {
    if (example && !editor.value.includes(`"${example.name}.cu"`)) leaveExample();
    clearTimeout(timer);
    timer = setTimeout(list, 400);
  });
  const source = texts.appendChild(element('pre', 'source'));
  const launches = new Launches(place, entries);
  const actions = place.appendChild(element('div', 'actions'));
  const prove = actions.appendChild(button('prove', 'prove', () => ask()));
  const cancel = actions.appendChild(button('cancel', 'cancel', () => prover.cancel()));
  const mend = actions.appendChild(button('mend', 'mend it', () => {
    const old = editor.value.split('\n');
    editor.value = mended(editor.value, example.mend);
    const first = editor.value.split('\n').findIndex((line, i) => line !== old[i]);
    editor.show(first - 5);
    mend.disabled = true;
    ask();
  }));
  const kind = place.appendChild(element('p', 'kind'));
  kind.setAttribute('aria-live', 'polite');
  const verdict = place.appendChild(element('pre', 'verdict'));
  const schedule = place.appendChild(element('div', 'schedule'));
  const more = place.appendChild(button('more', '', () => {}));
  const note = place.appendChild(element('p', 'note'));
  const details = place.appendChild(element('details', 'text'));
  const [entriesText, command] = ['entries', 'command'].map(name => element('pre', `command ${name}`));
  details.append(element('summary', '', 'the entries, and the same by a command'), entriesText, command);
  const file = () => example ? `${example.name}.ptx` : 'kernel.ptx';
  const isBusy = () => place.dataset.state === 'proving';

  const leaveExample = () => {
    example = null;
    about.textContent = '';
    for (const choice of choices.children) choice.setAttribute('aria-pressed', false);
    texts.classList.remove('both');
    source.hidden = mend.hidden = true;
  };
  const showAnswer = answer => {
    const isProved = answer.class === 'proved';
    kind.className = `kind ${answer.cancelled ? '' : isProved ? 'proved' : 'failed'}`;
    kind.textContent = answer.failed ? 'no verdict' : answer.cancelled ? 'cancelled' : answer.mistake ? 'not proved: a mistake in the ' +
      ({ptx: 'PTX', launch: 'launch'}[answer.in] || 'input') : answer.class === 'error' ? answer.text.slice(
      answer.text.lastIndexOf(`\n${answer.entry}: `) + 1).split('\n')[0].replace(/ \(.*/, '') : `${answer.entry}: ${answer.class}`;
    verdict.textContent = answer.text || answer.mistake || answer.failed || '';
    launches.mark(answer.in === 'launch' ? answer.line : 0);
    const lines = answer.in === 'ptx' ? [answer.line] :
      [...new Set([...(answer.text || '').matchAll(new RegExp(`\\b${file()}:(\\d+)`, 'g'))].map(found => +found[1]))];
    editor.mark(lines, answer.column || 1);
    if (answer.in === 'launch') {
      verdict.textContent += `\n\n${launches.lines[answer.line - 1] ?? ''}\n${' '.repeat(answer.column - 1)}^`;
    }
    schedule.innerHTML = answer.folded || '';
    more.hidden = !answer.whole;
    more.textContent = `all ${answer.steps} steps`;
    more.onclick = () => { schedule.innerHTML = answer.whole; more.hidden = true; };
    note.textContent = answer.milliseconds === undefined || answer.mistake ? '' :
      `Answered in this browser in ${answer.milliseconds.toFixed(0)} ms.`;
    if (example) showSource(source, example.source, `${example.name}.cu`, answer.text || '');
  };
  const list = async () => {
    if (isBusy()) return;
    const answer = await prover.ask({ptx: editor.value, file: file()});
    entriesText.textContent = answer.list || answer.mistake || '';
    entries.replaceChildren(...[...(answer.list || '').matchAll(/^(\S+?)\(/gm)].map(([, name]) => Object.assign(element('option', ''), {value: name})));
  };
  const ask = async () => {
    if (isBusy()) return;
    clearTimeout(timer);
    place.dataset.state = 'proving';
    prove.disabled = true;
    cancel.hidden = false;
    kind.className = 'kind';
    kind.textContent = 'proving ...';
    const lines = launches.lines;
    command.textContent = `dma-prove ${file()} ${lines.map(line => `--launch '${line}'`).join(' ')}`;
    showAnswer(await prover.ask({ptx: editor.value, file: file(), launches: `${lines.join('\n')}\n`}));
    prove.disabled = false;
    cancel.hidden = true;
    place.dataset.state = 'told';
    await list();
  };
  const choose = async chosen => {
    if (isBusy()) return;
    const [ptx, cu] = await Promise.all(['ptx', 'cu'].map(async kind_ => (await fetch(here(`${chosen.name}.${kind_}`))).text()));
    leaveExample();
    example = {...chosen, source: cu};
    about.textContent = chosen.about;
    for (const choice of choices.children) choice.setAttribute('aria-pressed', choice.value === chosen.name);
    texts.classList.add('both');
    source.hidden = false;
    mend.hidden = !chosen.mend;
    mend.disabled = false;
    mend.textContent = `mend it: ${chosen.mend?.insert}`;
    editor.value = ptx;
    editor.show(ptx.split('\n').findIndex(line => line.includes('.entry')));
    launches.lines = chosen.launches;
    await ask();
  };
  for (const each of examples) choices.append(Object.assign(button('', each.label, () => choose(each)), {value: each.name}));
  choices.append(button('empty', 'your own', () => {
    if (isBusy()) return;
    leaveExample();
    editor.value = '';
    editor.text.placeholder = 'the PTX of nvcc -ptx -lineinfo, Triton, Numba, ...';
    launches.lines = ['kernel<<<1, 32>>>()'];
    for (const part of [kind, verdict, schedule, note, entriesText, command]) part.replaceChildren();
    more.hidden = true;
  }));
  cancel.hidden = true;
  await choose(examples[0]);
}

if (typeof document !== 'undefined') {
  document.head.append(element('style', '', STYLE));
  const place = document.querySelector('.site-ptx');
  // A reader who does not come near loads nothing.
  new IntersectionObserver((entries, watch) => {
    if (entries.some(entry => entry.isIntersecting)) {
      watch.disconnect();
      fill(place, new Prover());
    }
  }, {rootMargin: '300px'}).observe(place);
}
