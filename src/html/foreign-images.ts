// Images of other servers in pages. Browsers load images of this server alone, so they are loaded through it.
import { unescapeHtml } from '#text/escape-html.ts';
import { type TrustedHtml, trustHtml } from './template.ts';

type ForeignImages = {
  /** The origin of this server, whose images stay as they are. */
  readonly own: string;
  /** The address on this server for that of an image elsewhere; undefined if there is none. It needs no escaping. */
  addressOf(url: string): string | undefined;
};

const start = '<img ';

/**
 * The page with other addresses for images of other servers. Templates and the sanitizer have made all of its HTML: a `<` always
 * begins a tag, and each attribute has double quotes around its escaped value. What would be overlooked isn't loaded, by the
 * content security policy.
 */
export function withForeignImages(page: TrustedHtml, images: ForeignImages): TrustedHtml {
  const html = page.toString();
  let text = '';
  let done = 0;
  for (let at = html.indexOf(start); at >= 0; at = html.indexOf(start, done)) {
    const end = endOfTag(html, at);
    text += html.slice(done, at) + withAddress(html.slice(at, end), images);
    done = end;
  }
  return done === 0 ? page : trustHtml(text + html.slice(done));
}

/** Where a tag ends: a `>` within a value doesn't end it. */
function endOfTag(html: string, at: number): number {
  let isValue = false;
  for (let index = at; index < html.length; index++) {
    const character = html.charAt(index);
    if (character === '"') isValue = !isValue;
    else if (character === '>' && !isValue) return index + 1;
  }
  return html.length;
}

/** The tag with the address of its image replaced. Attributes are read one after the other, so that no value is taken for one. */
const withAddress = (tag: string, { own, addressOf }: ForeignImages): string =>
  tag.replace(/ ([a-z-]+)="([^"]*)"/g, (attribute, name: string, value: string) => {
    const url = unescapeHtml(value);
    if (name !== 'src' || !/^https?:\/\//i.test(url) || url.startsWith(`${own}/`)) return attribute;
    const address = addressOf(url);
    return address === undefined ? attribute : ` src="${address}" loading="lazy"`;
  });
