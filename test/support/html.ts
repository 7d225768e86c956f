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
const single = ['title', 'h1', 'main', 'body'];

export function readDocument(text: string): ReadDocument {
  const ids = new Set<string>();
  const links: string[] = [];
  const problems: string[] = [];
  const counts = new Map<string, number>();
  let [title, inTitle, closed] = ['', false, 0];
  let isForeign = 0;
  const parser = new Parser({
    onopentag(name, { id, href, src }) {
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
  if (title.trim() === '' || /undefined|\[object/.test(title)) problems.push(`the title is “${title}”`);
  return { title, links, ids, problems };
}
