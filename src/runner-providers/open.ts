import { type Catalogue, defaultCatalogue, readCatalogue } from './catalogue.ts';
import { noProvider, type Provider } from './provider.ts';

/** The settings of hosted runners. */
export type RunnerSettings = {
  /** The file of a custom catalogue. */
  readonly catalogue?: string | undefined;
  readonly provider?: Provider;
  /** The address of the server for programs on machines. It is set once the server listens. */
  address?: string;
};

/** The catalogue and the provider of hosted runners. */
export type Runners = {
  readonly catalogue: Catalogue;
  readonly provider: Provider;
  /** The address of the server for programs on machines; undefined until it is known. */
  readonly address: string | undefined;
};

/** Opens the catalogue and the provider. @throws StartupError if the catalogue is invalid */
export async function openRunners(settings: RunnerSettings = {}): Promise<Runners> {
  const { catalogue = defaultCatalogue, provider = noProvider } = settings;
  return {
    catalogue: await readCatalogue(catalogue),
    provider,
    get address() {
      return settings.address;
    },
  };
}
