// What a page declares: its path, the endpoints that it reads, and a function from their replies to HTML.
import type { SignedIn } from '#access/viewer.ts';
import type { Endpoint, EndpointTypes } from '#endpoint/endpoint.ts';
import type { Links } from '#endpoint/links.ts';
import type { ListPosition } from '#endpoint/paging.ts';
import type { WordsOf } from '#endpoint/path-words.ts';
import type { TrustedHtml } from '#html/template.ts';
import type { Media } from '#lib/media.ts';
import type { Refusal } from '#lib/refusal.ts';

/** The words of a page's path. A star at the end of the last word lets it hold slashes: `/{owner}/{repo}/tree/{path*}`. */
export type PageWords<Path extends string> = Readonly<Record<WordsOf<WithoutStar<Path>>, string>>;
type WithoutStar<Path extends string> = Path extends `${infer Start}*}` ? `${Start}}` : Path;

/** The first value of each parameter of the query. */
export type PageQuery = Readonly<Record<string, string | undefined>>;

/** The request for a page. */
export type PageRequest<Words = Readonly<Record<string, string>>> = {
  readonly words: Words;
  readonly query: PageQuery;
  /** The path and the query, for links back to the page. */
  readonly address: string;
  /** The person who is signed in. */
  readonly person: SignedIn['account'] | undefined;
  readonly links: Links;
  readonly now: Date;
  /** The token of this session's forms; empty without a session. */
  readonly csrf: string;
  /** The form that was refused, where the page is shown again because of that. */
  readonly refused?: RefusedForm | undefined;
};

/** The fields of a form that was sent. */
export type FormFields = {
  /** The value of a field; empty if it wasn't sent. */
  text(name: string): string;
  /** All values of a field that may be sent several times, such as checkboxes of one name. */
  list(name: string): readonly string[];
};

/** A form that was sent and refused. */
export type RefusedForm = {
  /** The path that its declaration has. */
  readonly path: string;
  readonly message: string;
  /** What is wrong with single fields, by their names. */
  readonly problems: Readonly<Record<string, string>>;
  readonly fields: FormFields;
};

/** The words of an endpoint's path, with their values. */
type Values<Path extends string> = { readonly [Word in WordsOf<Path>]?: string | number };

type ReadOptions<Types extends EndpointTypes> = {
  /** The values of words of the endpoint's path. An omitted word has the value that the page's path gives it. */
  readonly words?: Values<Types['path']>;
  readonly query?: Readonly<Record<string, string | number | boolean | undefined>>;
  /** `html` for rendered Markdown. */
  readonly media?: Media;
};

/** The reading of one endpoint. */
export type Read<Types extends EndpointTypes = EndpointTypes, IsOptional extends boolean = boolean> = ReadOptions<Types> & {
  readonly endpoint: Endpoint<Types>;
  /** Whether the page does without it, where it is refused. */
  readonly isOptional: IsOptional;
  /** Whether the page shows why it is refused. */
  readonly isExplained?: boolean;
};

/** A reading that may be refused, with its reason for people. */
type ExplainedRead<Types extends EndpointTypes> = Read<Types, false> & { readonly isExplained: true };

/** Reads an endpoint, and shows the page's own refusal where it is refused. */
export const read = <Types extends EndpointTypes>(
  endpoint: Endpoint<Types>,
  options: ReadOptions<Types> = {},
): Read<Types, false> => ({ ...options, endpoint, isOptional: false });

/** Reads an endpoint; where it is refused, the page leaves out what it would show. */
export const readOptional = <Types extends EndpointTypes>(
  endpoint: Endpoint<Types>,
  options: ReadOptions<Types> = {},
): Read<Types, true> => ({ ...options, endpoint, isOptional: true });

/** Why a reading was refused. */
export type ReadRefusal = { readonly refused: readonly string[] };

/** Reads an endpoint whose parameters people write; where it refuses these, the page shows why. */
export const readOrExplain = <Types extends EndpointTypes>(
  endpoint: Endpoint<Types>,
  options: ReadOptions<Types> = {},
): ExplainedRead<Types> => ({ ...options, endpoint, isOptional: false, isExplained: true });

/** Whether a reading was refused. */
export const isRefused = (value: unknown): value is ReadRefusal =>
  typeof value === 'object' && value !== null && 'refused' in value;

/** The messages of a refusal. */
export const refusalOf = ({ message, errors }: Refusal): ReadRefusal => {
  const messages = errors.flatMap((error) => error.message ?? []);
  return { refused: messages.length > 0 ? messages : [message] };
};

/** What a page reads, by name. What is undefined isn't read. */
// biome-ignore lint/suspicious/noExplicitAny: the types of each reading are inferred by `Found`
export type Reads = Readonly<Record<string, Read<any, boolean> | undefined>>;

/** The body of a successful reply; `true` if it has none; the address of a redirect. */
type BodyOf<Types extends EndpointTypes> =
  | Extract<Types['reply'], { readonly status: 200 }>['body']
  | (Extract<Types['reply'], { readonly status: 204 }> extends never ? never : true)
  | (Extract<Types['reply'], { readonly status: 302 }> extends never ? never : { readonly location: string });

/** What was read. */
export type Found<Of extends Reads> = {
  readonly [Name in keyof Of]: NonNullable<Of[Name]> extends Read<infer Types, infer IsOptional>
    ?
        | BodyOf<Types>
        | (IsOptional extends true ? undefined : never)
        | (NonNullable<Of[Name]> extends { isExplained: true } ? ReadRefusal : never)
        | Extract<Of[Name], undefined>
    : never;
};

/** The positions of the lists among what was read. */
type Positions<Of extends Reads> = { readonly [Name in keyof Of]: ListPosition | undefined };

/** What a page shows. */
export type PageContent = {
  /** The title of the document, without the name of the server. */
  readonly title: string;
  readonly body: TrustedHtml;
  /** For search engines. */
  readonly description?: string;
  /** Where its forms may lead besides this server; see `contentPolicy`. */
  readonly formTargets?: readonly string[];
};

/** The answer of a page that leads elsewhere on this server. */
type PageRedirect = { readonly redirect: string };

/**
 * What stands around the content of pages, such as the name and the tabs of a repository. It reads endpoints too, and its pages
 * have what it found.
 */
export type Frame<Of extends Reads> = {
  reads(request: PageRequest): Of;
  render(content: PageContent, found: Found<Of>, request: PageRequest): TrustedHtml;
};

/** One page, declared once. */
export type Page = {
  readonly path: string;
  /** Whether it is for people who are signed in: others are led to sign in. */
  readonly isForPeople: boolean;
  reads(request: PageRequest): Reads;
  follows(found: Readonly<Record<string, unknown>>, request: PageRequest): Reads;
  render(
    found: Readonly<Record<string, unknown>>,
    request: PageRequest,
    positions: Readonly<Record<string, ListPosition | undefined>>,
  ): PageContent | PageRedirect;
  /** What stands around the content. */
  readonly frame: Frame<Reads>;
};

type Declaration<Path extends string, Framed extends Reads, First extends Reads, Second extends Reads> = {
  readonly path: Path;
  readonly frame: Frame<Framed>;
  readonly isForPeople?: true;
  /** The endpoints that it reads, at the same time. */
  reads?(request: PageRequest<PageWords<Path>>): First;
  /** Endpoints whose addresses follow from what was read first. */
  follows?(found: Found<Framed & First>, request: PageRequest<PageWords<Path>>): Second;
  render(
    found: Found<Framed & First & Second>,
    request: PageRequest<PageWords<Path>>,
    positions: Positions<First & Second>,
  ): PageContent | PageRedirect;
};

/**
 * Declares a page. Its endpoints run with the viewer of the session, and decide about access: a page has no SQL and no rules of
 * its own.
 *
 * @example
 * export const labelsPage = page({
 *   path: '/{owner}/{repo}/labels',
 *   frame: inRepository('issues'),
 *   reads: ({ query }) => ({ labels: read(listRepoLabels, { query: { page: query.page } }) }),
 *   render: ({ labels }) => ({ title: 'Labels', body: html`<ul>${labels.map((label) => html`<li>${label.name}</li>`)}</ul>` }),
 * });
 */
export function page<
  const Path extends string,
  Framed extends Reads,
  First extends Reads = Record<never, never>,
  Second extends Reads = Record<never, never>,
>(declaration: Declaration<Path, Framed, First, Second>): Page {
  const { path, frame, isForPeople = false, reads = () => ({}), follows = () => ({}), render } = declaration;
  // the type of the parameter has checked that these functions belong together
  return { path, frame, isForPeople, reads, follows, render } as unknown as Page;
}
