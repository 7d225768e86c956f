import type { OidcRegistry, Registry } from '../usable.ts';
import type { AddressName } from './addresses.ts';
import type { Send } from './requests.ts';

/** A credential, and the user that belongs to it, unless its registry ignores users. */
type ShortLived = { readonly secret: string; readonly username?: string | undefined };

/** The result of an exchange. */
export type Exchanged = ShortLived | { readonly problem: string };

export type ExchangeRequest = {
  readonly registry: OidcRegistry;
  readonly identityToken: string;
  /** A name for the logs of the cloud. */
  readonly session: string;
  readonly send: Send;
  readonly addressOf: (name: AddressName, region?: string) => string;
  readonly now: Date;
};

/** How one way of signing in exchanges identity tokens. */
export type Exchange = {
  /** The audience that the identity token needs; undefined for the default audience of identity tokens. */
  readonly audience: (identity: Registry['identity']) => string | undefined;
  /** @throws ExchangeProblem */
  readonly exchange: (request: ExchangeRequest) => Promise<ShortLived>;
};
