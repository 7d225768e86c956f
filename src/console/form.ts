// What a form declares: its path, the endpoint that it calls, how its fields become the body, and where to go next.
import type { Endpoint, EndpointTypes } from '#endpoint/endpoint.ts';
import type { WordsOf } from '#endpoint/path-words.ts';
import type { FormFields, Page, PageRequest, PageWords } from './page.ts';

/** A form that was sent. */
export type Submission<Words = Readonly<Record<string, string>>> = PageRequest<Words> & { readonly fields: FormFields };

/** The words of an endpoint's path, with their values. */
type Values<Path extends string> = { readonly [Word in WordsOf<Path>]?: string | number };

type BodyOf<Types extends EndpointTypes> = Types['reply']['body'];

/** One form, declared once. */
export type Form = {
  readonly path: string;
  /** The page that shows the form, and shows it again with the refusal. */
  readonly page: Page;
  readonly endpoint: Endpoint;
  words(submission: Submission): Readonly<Record<string, string | number | undefined>>;
  query(submission: Submission): Readonly<Record<string, unknown>>;
  body(submission: Submission): Readonly<Record<string, unknown>> | undefined;
  next(reply: unknown, submission: Submission): string;
};

type Declaration<Path extends string, Types extends EndpointTypes> = {
  /** Where the form is sent to. It is the path of the page, or begins with it if the page has several forms. */
  readonly path: Path;
  readonly page: Page;
  readonly endpoint: Endpoint<Types>;
  /** The values of words of the endpoint's path. An omitted word has the value that the form's path gives it. */
  words?(submission: Submission<PageWords<Path>>): Values<Types['path']>;
  query?(submission: Submission<PageWords<Path>>): Partial<Types['query']>;
  /** The body for the endpoint, whose schema checks it. @throws Refusal for what only the form knows */
  body?(submission: Submission<PageWords<Path>>): Partial<Types['body']>;
  /** The path to go to when it was done. */
  next(reply: BodyOf<Types>, submission: Submission<PageWords<Path>>): string;
};

/**
 * Declares a form. Its endpoint runs with the viewer of the session, and decides about access: a form has no rules of its own.
 * The server demands the origin and the session's token before that, and shows the page again if the endpoint refuses.
 *
 * @example
 * export const closeForm = form({
 *   path: '/{owner}/{repo}/issues/{issue_number}/close',
 *   page: issuePage,
 *   endpoint: updateIssue,
 *   body: ({ fields }) => ({ state: 'closed', state_reason: fields.text('reason') }),
 *   next: ({ number }, { words }) => `/${words.owner}/${words.repo}/issues/${number}`,
 * });
 */
export function form<const Path extends string, Types extends EndpointTypes>(declaration: Declaration<Path, Types>): Form {
  const { path, page, endpoint, words = () => ({}), query = () => ({}), body = () => undefined, next } = declaration;
  // the type of the parameter has checked that these functions belong together
  return { path, page, endpoint, words, query, body, next } as unknown as Form;
}
