import type { ServiceParts } from '#resources/service-parts.ts';

declare module '#endpoint/services.ts' {
  interface FamilySettings {
    /** The labels of the runners for searches for updates. */
    dependencyBotRunner?: readonly string[];
  }
  interface FamilyServices {
    /** The labels of the runners for searches for updates. */
    readonly dependencyBotRunner: readonly string[];
  }
}

const usualRunner = ['ubuntu-latest'];

export const updateServices = {
  dependencyBotRunner: ({ settings }: ServiceParts): readonly string[] => settings.dependencyBotRunner ?? usualRunner,
};
