// Reads an HTML document for tests: its links, its ids, and what is wrong with it.
import { Parser } from 'htmlparser2';

export type ReadDocument = {
  title: string;
  /** Addresses of links, pictures, scripts and styles. */
  links: string[];
  ids: Set<string>;
  problems: string[];
};

const emptyElements = new Set('area base br col embed hr img input link meta source track wbr'.split(' '));

/** Elements of which there is one in a document. */
const single = ['title', 'main', 'body'];

/** As browsers read addresses. */
const withoutControls = (text: string): string => [...text].filter((character) => character > ' ').join('');

/** What could run as a script, or load one of others. The content security policy would forbid it, but is the second defence. */
function dangersOf(name: string, attributes: Readonly<Record<string, string>>): string[] {
  const found = Object.entries(attributes).flatMap(([attribute, value]) => {
    const address = withoutControls(value).toLowerCase();
    const isScript = /^(xlink:)?href$|^src$|^action$/.test(attribute) && /^(javascript|vbscript|data):/.test(address);
    const isDangerous = attribute.startsWith('on') || ['style', 'srcdoc', 'formaction', 'ping'].includes(attribute) || isScript;
    return isDangerous ? [`${name} has ${attribute}="${value}"`] : [];
  });
  const isForeign = ['iframe', 'object', 'embed', 'base', 'frame', 'math', 'applet'].includes(name);
  const isInline = name === 'script' && attributes.src?.startsWith('/_assets/') !== true;
  return isForeign || isInline ? [...found, `${name} stands in the page`] : found;
}

export function readDocument(text: string): ReadDocument {
  const ids = new Set<string>();
  const links: string[] = [];
  const problems: string[] = [];
  const counts = new Map<string, number>();
  let [title, inTitle, closed] = ['', false, 0];
  let isForeign = 0;
  const parser = new Parser({
    onopentag(name, attributes) {
      const { id, href, src } = attributes;
      problems.push(...dangersOf(name, attributes));
      counts.set(name, (counts.get(name) ?? 0) + 1);
      if (name === 'svg') isForeign++;
      // The titles of pictures are not the document's.
      if (name === 'title' && isForeign > 0) counts.set(name, (counts.get(name) ?? 0) - 1);
      inTitle = name === 'title' && isForeign === 0;
      if (id !== undefined && ids.has(id)) problems.push(`the id ${id} stands twice`);
      if (id !== undefined) ids.add(id);
      for (const address of [href, src]) if (address !== undefined) links.push(address);
    },
    ontext(some) {
      if (inTitle) title += some;
    },
    onclosetag(name, isImplied) {
      if (name === 'svg') isForeign--;
      if (name === 'title') inTitle = false;
      if (!isImplied) closed++;
      else if (!emptyElements.has(name) && isForeign === 0) problems.push(`${name} is never closed`);
    },
  });
  parser.end(text);
  // Text is escaped, so that only the ends of elements look so.
  const ends = text.match(/<\/[a-z]/gi)?.length ?? 0;
  if (ends !== closed) problems.push(`${ends} elements end, ${closed} of which were open`);
  for (const name of single) if (counts.get(name) !== 1) problems.push(`${counts.get(name) ?? 0} elements ${name}`);
  // Markdown has headings of its own.
  if (!counts.has('h1')) problems.push('no heading');
  if (title.trim() === '' || /undefined|\[object/.test(title)) problems.push(`the title is “${title}”`);
  return { title, links, ids, problems };
}
