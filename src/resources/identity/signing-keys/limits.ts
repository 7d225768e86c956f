import { moreLimits } from '#lib/limits.ts';

export const keyLimits = moreLimits('accounts', {
  gpgKeys: { value: 50, unit: 'count', fixed: true, of: 'OpenPGP keys of one account', past: '422' },
  signingKeys: { value: 50, unit: 'count', fixed: true, of: 'SSH keys of one account that sign commits', past: '422' },
});
