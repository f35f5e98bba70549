// Python's tokens, as far as colours want them: line by line, each a kind and a text.
const WORDS = new Set(
  ("and as assert async await break class continue def del elif else except finally for from global if import in is lambda None nonlocal not or pass " +
    "raise return True False try while with yield match case").split(" "),
);
const TOKEN = /("""[\s\S]*?(?:"""|$)|'''[\s\S]*?(?:'''|$)|[rbfRBF]{0,2}"(?:[^"\\\n]|\\.)*"?|[rbfRBF]{0,2}'(?:[^'\\\n]|\\.)*'?)|(#[^\n]*)|(@[\w.]+)|(\b\d[\d_.]*\b)|([A-Za-z_]\w*)/g;
const KINDS = [null, "string", "comment", "decorator", "number"];

export function tokens(text) {
  const lines = [[]];
  const add = (kind, piece) =>
    piece.split("\n").forEach((part, at) => {
      if (at) lines.push([]);
      if (part) lines.at(-1).push([kind, part]);
    });
  let from = 0;
  for (const found of text.matchAll(TOKEN)) {
    add(null, text.slice(from, found.index));
    const kind = found[5] ? (WORDS.has(found[5]) ? "word" : null) : KINDS[KINDS.findIndex((_, at) => at && found[at])];
    add(kind, found[0]);
    from = found.index + found[0].length;
  }
  add(null, text.slice(from));
  return lines.at(-1).length ? lines : lines.slice(0, -1);
}
