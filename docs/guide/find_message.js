// findMessages(index, pasted): the messages of the library that a pasted text has, best first, each {message, share}.
//
// `index` is what errors.py writes as JSON. `pasted` is what a compiler, a run, a proof or Python said, with all that stands
// around a message: paths, line numbers, template arguments, several messages, or its first half alone. A message is found by
// its words and pairs of words; `share` is how much of its first half, the cause, was found, 0 to 1.
//
// In a page: <script src="find_message.js"></script> gives a function. In node: const { findMessages } = require("./find_message.js").

// Words, pairs of words that follow one another, and names with what they are in. A word and its plural are one.
function marksOf(text) {
  const said = text.toLowerCase().replace(/\bv\d+_\d+::/g, ""); // a compiler names the inline namespace, too
  const words = (said.match(/[a-z_]\w*|\d+/g) || []).map((word) => word.replace(/([a-z]{3})s$/, "$1"));
  const names = said.match(/[a-z_]\w*(?:(?:::|\.)\w+)+/g) || [];
  return new Set([...words, ...words.slice(1).map((word, i) => words[i] + " " + word), ...names]);
}

const prepared = new WeakMap();

// The marks of each message, and those of its first half.
function prepare(index) {
  if (!prepared.has(index)) {
    const marksOfParts = (text) => new Set(text.split("…").flatMap((part) => [...marksOf(part)]));
    const entryOf = (message, { text, fix }) => {
      const end = text.lastIndexOf(fix);
      const half = end < 0 ? text : text.slice(0, end);
      return { message, text, marks: marksOfParts(text), half: marksOfParts(half) };
    };
    prepared.set(index, index.messages.flatMap((message) => [message, ...message.others].map((said) => entryOf(message, said))));
  }
  return prepared.get(index);
}

// A verdict begins with its finding: "race (48 runs, ...)", "race: thread 3 writes ...".
function beginsLine(text, pasted) {
  return pasted.split("\n").some((line) => line.trim().startsWith(text) && /^ ?[(:]/.test(line.trim().slice(text.length)));
}

// Where a message begins that is there word for word, up to its first value; -1 where it is not. The first error of several
// is the one to mend.
const plain = (text) => text.toLowerCase().replace(/\bv\d+_\d+::/g, "").replace(/\s+/g, " ");
function placeOf(text, pasted) {
  const [beginning] = plain(text).split("…");
  return beginning.length < 20 ? -1 : pasted.indexOf(beginning);
}

function findMessages(index, pasted, most = 5) {
  const given = marksOf(pasted);
  const whole = plain(pasted);
  const found = (marks) => [...marks].filter((mark) => given.has(mark)).length;
  return prepare(index)
    .map(({ message, text, marks, half }) => {
      const share = found(half) / half.size;
      const isVerdict = message.kind === "finding" && beginsLine(message.text, pasted);
      return { message, text, share, score: isVerdict ? Infinity : found(marks) * share };
    })
    .filter(({ score }) => score > 1)
    .map((found) => ({ ...found, place: found.score === Infinity ? 0 : found.share < 1 ? -1 : placeOf(found.text, whole) }))
    .sort((a, b) => (b.place >= 0) - (a.place >= 0) || (a.place >= 0 && a.place - b.place) || b.score - a.score)
    .filter(({ message }, i, all) => all.findIndex((found) => found.message === message) === i)
    .slice(0, most)
    .map(({ message, share }) => ({ message, share }));
}

if (typeof module !== "undefined") module.exports = { findMessages };
