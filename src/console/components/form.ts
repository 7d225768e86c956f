// Forms, and what is shown of their refusals.
import type { PageRequest } from '#console/page.ts';
import { attribute, html, type Insertable, type TrustedHtml } from '#html/template.ts';

type FormRequest = Pick<PageRequest, 'csrf' | 'refused'>;

type FormOptions = {
  /** The class of the element. Omitted: fields below each other. */
  readonly className?: string;
  /** The path of the form's declaration, if its address has words or a query. Omitted: the address. */
  readonly path?: string;
};

/** A form that is sent to an address of this server, with the session's token. Its refusal stands above its fields. */
export const formTo = (
  { csrf, refused }: FormRequest,
  address: string,
  content: Insertable,
  { className = 'form', path = address }: FormOptions = {},
): TrustedHtml =>
  html`<form class="${className}" method="post" action="${address}"><input type="hidden" name="csrf" value="${csrf}">
${refused?.path === path ? html`<p class="notice bad" role="alert">${refused.message}</p>` : ''}${content}</form>`;

type Field = {
  readonly name: string;
  readonly label: string;
  readonly autocomplete: string;
  /** A password is never filled in again. */
  readonly type?: 'text' | 'password' | 'email';
  readonly hint?: string;
  readonly value?: string;
  readonly minlength?: number;
};

/** A field of one line that has to be filled in, with what was wrong with it. */
export function field({ refused }: FormRequest, { name, label, autocomplete, type = 'text', hint, value, minlength }: Field) {
  const problem = refused?.problems[name];
  const given = type === 'password' ? undefined : (refused?.fields.text(name) ?? value);
  const notes = [...(hint === undefined ? [] : [`${name}-hint`]), ...(problem === undefined ? [] : [`${name}-problem`])];
  return html`<label for="${name}">${label}<input id="${name}" name="${name}" type="${type}" autocomplete="${autocomplete}"
  required${attribute('value', given)}${attribute('minlength', minlength)}${attribute(
    'aria-describedby',
    notes.length > 0 && notes.join(' '),
  )}${attribute('aria-invalid', problem !== undefined && 'true')}></label>${
    hint === undefined ? '' : html`<p class="soft small" id="${name}-hint">${hint}</p>`
  }${problem === undefined ? '' : html`<p class="bad small" id="${name}-problem">${problem}</p>`}`;
}
