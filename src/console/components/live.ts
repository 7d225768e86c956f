import { icon } from '#html/icons.ts';
import { html, type TrustedHtml } from '#html/template.ts';

/**
 * Keeps a page current about a subject: the script reads the page again when it changes, and replaces the elements with
 * `data-part`. Without the script there is a link.
 * @param words the words of the path of the subject's endpoint
 */
export function liveUpdates(subject: string, words: Readonly<Record<string, string | number>>, address: string): TrustedHtml {
  const query = new URLSearchParams({
    subject,
    ...Object.fromEntries(Object.entries(words).map(([name, one]) => [name, String(one)])),
  });
  return html`<live-updates data-events="/_live?${query.toString()}"><a class="button" href="${address}">
${icon('history')}Refresh</a></live-updates>`;
}
