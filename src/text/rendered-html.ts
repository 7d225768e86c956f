import { Type } from 'typebox';

declare const rendered: unique symbol;

/** HTML that the renderer has made and sanitized, so that pages may insert it as it is. No value has the mark. */
export type RenderedHtml = string & { readonly [rendered]: true };

/** The schema of a field that holds rendered HTML. */
export const Rendered = Type.Unsafe<RenderedHtml>(Type.String());
