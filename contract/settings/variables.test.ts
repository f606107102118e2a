import { execFileSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { expect, it } from 'vitest'
import { EngineSettings, SecretName } from '../control/settings.ts'
import { VARIABLES } from './variables.ts'

const ROOT = new URL('../../', import.meta.url)
const TABLE = 'contract/settings/'

const sources = execFileSync(
  'git',
  ['ls-files', 'contract', 'core', 'main', 'providers', 'renderer', 'preload', 'bin'],
  { cwd: ROOT },
)
  .toString()
  .split('\n')
  .filter((file) => /\.(ts|tsx|mjs|cjs)$/.test(file) && !file.includes('.test.') && !file.startsWith(TABLE))
  .map((file) => ({ file, text: readFileSync(new URL(file, ROOT), 'utf8') }))

/** Variables of the operating system and of npm, which are not settings of this program. */
const SYSTEM = [
  'PATH',
  'HOME',
  'APPDATA',
  'LOCALAPPDATA',
  'XDG_CACHE_HOME',
  'XDG_CONFIG_HOME',
  'DISPLAY',
  'WAYLAND_DISPLAY',
  'NODE_COMPILE_CACHE',
]

const NAME = '[A-Z][A-Z0-9_]*'
const READS = [
  // env['NAME'], process.env.NAME, environment['NAME']
  new RegExp(`\\benv(?:ironment)?\\??\\.?\\[\\s*['"\`](${NAME})['"\`]`, 'g'),
  new RegExp(`\\benv\\.(${NAME})\\b`, 'g'),
  // reader.text('NAME', …), valueOf(env, 'NAME')
  new RegExp(`\\breader\\s*\\.\\w+(?:<\\w+>)?\\(\\s*'(${NAME})'`, 'g'),
  new RegExp(`\\b\\w+\\((?:options\\.)?env, '(${NAME})'`, 'g'),
  // A constant with the name of a variable.
  new RegExp(`_VARIABLE = '(${NAME})'`, 'g'),
  new RegExp(`\\b(?:port|token|endpoint)(?:Variable|Setting): '(${NAME})'`, 'g'),
]

it('the sources read no variable that the table lacks', () => {
  expect(sources.length).toBeGreaterThan(500)
  const read = sources.flatMap(({ file, text }) =>
    READS.flatMap((pattern) => [...text.matchAll(pattern)].map(([, name]) => ({ file, name: name! }))),
  )
  const names = new Set(read.map(({ name }) => name))
  // The patterns find what is known to be read: otherwise the assertion below could not fail.
  for (const known of ['MATRIX_MODELS', 'RAG_LADDER_PROJECT', 'STT_PORT', 'RAG_LADDER_ENGINE_TOKEN', 'NO_COLOR'])
    expect(names.has(known) || sources.some(({ text }) => text.includes(`'${known}'`)), known).toBe(true)
  expect(names.size).toBeGreaterThan(60)
  expect(read.filter(({ name }) => !SYSTEM.includes(name) && !Object.hasOwn(VARIABLES, name))).toEqual([])
})

it('every variable of the table is read by the sources', () => {
  const unread = Object.keys(VARIABLES).filter((name) => {
    const suffixed = /^(DOCCONV|STT|TTS|ASSET_WORKER|ASSET_BAKER)_(.+)$/.exec(name)?.[2]
    return !sources.some(
      ({ text }) =>
        new RegExp(`['"\`.]${name}\\b`).test(text) ||
        (suffixed !== undefined && text.includes(`\${prefix}_${suffixed}\``)),
    )
  })
  expect(unread).toEqual([])
})

it('every setting and token of the control panel replaces exactly one variable', () => {
  const settings = Object.values(VARIABLES).flatMap(({ setting }) => setting ?? [])
  expect(settings.toSorted()).toEqual([...Object.keys(EngineSettings.shape), ...SecretName.options].toSorted())
  for (const secret of SecretName.options)
    expect(Object.values(VARIABLES).find(({ setting }) => setting === secret)?.isSecret).toBe(true)
})

it('every option in the table is an option of the command line', () => {
  const cli = sources
    .filter(({ file }) => file.startsWith('main/cli/'))
    .map(({ text }) => text)
    .join('\n')
  for (const { option } of Object.values(VARIABLES))
    if (option !== undefined) expect(cli).toMatch(new RegExp(`\\b'?${option.slice(2)}'?: (?:\\{|flag|textValue)`))
})

it('what is named like a credential is declared as a secret', () => {
  const named = Object.entries(VARIABLES).filter(([name]) => /(_TOKEN|_KEY|_SECRET)$/.test(name))
  expect(named.filter(([, { isSecret }]) => isSecret !== true).map(([name]) => name)).toEqual([])
})
