import { Type } from 'typebox';

export const AutomatedSecurityFixes = Type.Object({ enabled: Type.Boolean(), paused: Type.Boolean() });

export const PrivateVulnerabilityReporting = Type.Object({ enabled: Type.Boolean() });
