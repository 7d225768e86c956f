import { execFile } from 'node:child_process';
import { access, mkdir, writeFile } from 'node:fs/promises';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';

/** Packages with much source text. With their dependencies, they have about 115,000 files. */
const names = [
  '@angular/core',
  '@angular/material',
  '@babel/core',
  '@mui/material',
  '@nestjs/core',
  'antd',
  'aws-cdk-lib',
  'aws-sdk',
  'babylonjs',
  'ckeditor5',
  'core-js',
  'd3',
  'date-fns',
  'echarts',
  'eslint',
  'ethers',
  'express',
  'firebase',
  'googleapis',
  'jest',
  'lodash',
  'lodash-es',
  'mathjs',
  'monaco-editor',
  'next',
  'prettier',
  'ramda',
  'react-dom',
  'react-native',
  'rxjs',
  'sequelize',
  'svelte',
  'three',
  'typeorm',
  'typescript',
  'vue',
  'webpack',
];

/** Installs missing packages in this user's cache folder, without running their scripts. */
export async function installPackages(say: (text: string) => void): Promise<string> {
  const folder = join(process.env.XDG_CACHE_HOME ?? join(homedir(), '.cache'), 'hearth-bench');
  const installed = join(folder, 'node_modules');
  const whole = join(folder, 'installed');
  if (
    await access(whole).then(
      () => true,
      () => false,
    )
  )
    return installed;
  say(`installing ${names.length} npm packages into ${folder}: 2.5 GB, some minutes`);
  await mkdir(folder, { recursive: true });
  await writeFile(join(folder, 'package.json'), '{"private":true}\n');
  const flags = ['--ignore-scripts', '--no-audit', '--no-fund', '--legacy-peer-deps'];
  await promisify(execFile)('npm', ['install', ...flags, ...names], { cwd: folder, maxBuffer: 1 << 26 });
  await writeFile(whole, '');
  return installed;
}
