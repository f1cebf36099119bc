// The box of the error index: what is pasted, and the messages that it has. build.py puts the index (`index`) and
// findMessages before it, in one file, so that it works from a disk too.
function element(tag, text = "", attributes = {}) {
  const made = Object.assign(document.createElement(tag), attributes);
  made.textContent = text;
  return made;
}

function entryOf({ message, share }) {
  const item = element("li");
  item.append(element("a", message.component ? `${message.component}: ${message.cause}` : message.text, { href: `#${message.id}` }));
  if (message.fix) item.append(element("p", `Fix: ${message.fix}`));
  for (const other of message.others) item.append(element("p", `${other.where}: ${other.fix}`));
  if (share < 0.5) item.classList.add("unlikely");
  return item;
}

for (const place of document.querySelectorAll(".site-messages")) {
  const box = element("textarea", "", { rows: 4, placeholder: "error: static assertion failed: dma::..." });
  const label = element("label", "Paste a message, with all that is around it:");
  const list = element("ol");
  const answer = element("p", "", { role: "status" });
  label.append(box);
  place.append(label, answer, list);
  box.addEventListener("input", () => {
    const found = findMessages(index, box.value);
    list.replaceChildren(...found.map(entryOf));
    answer.textContent = box.value.trim() === "" || found.length ? "" : "None of the library's messages has these words.";
  });
}
