import { describe, expect, it } from 'vitest'
import { VARIABLES } from '../../contract/settings/variables.ts'
import type { Variable } from '../../contract/settings/variables.ts'
import { InputError, readRunnerInputs } from '../../main/manifests/runner-inputs.ts'
import { loadAdapterConfig } from '../../providers/converter-adapter/config.ts'
import { loadConverterConfig } from '../../providers/converter/config.ts'
import { ServiceConfigError } from '../../providers/kit/service-config-error.ts'
import { loadPlatformConfig } from '../../providers/platform/composition/config.ts'
import { loadSttConfig } from '../../providers/stt/config.ts'
import { loadTtsConfig } from '../../providers/tts/config.ts'

// Every setting of the runner, the platform and the services at its default, its lowest, its highest and a malformed value, as its documented form defines. The values
// come from the form: a variable of a new form needs a line here.

const PROGRAMS: Partial<Record<Variable['by'], (env: Record<string, string>) => unknown>> = {
  runner: readRunnerInputs,
  platform: loadPlatformConfig,
  converter: loadConverterConfig,
  'converter-adapter': loadAdapterConfig,
  stt: loadSttConfig,
  tts: loadTtsConfig,
}

interface Values {
  accepted: string[]
  refused: string[]
}
const range = (low: number, high: number): Values => ({
  accepted: [`${low}`, `${high}`],
  refused: [`${low - 1}`, `${high + 1}`, '1.5', 'many', '0x10', '1e3'],
})
const MOST = Number.MAX_SAFE_INTEGER
/** Past the largest whole number that is exact. */
const TOO_MANY = '9007199254740993'

/** Values of a form; null for forms without bounds. */
function valuesOf(form: string): Values | null {
  const [, low, high] = /^(?:whole (?:number|seconds|milliseconds)|tokens), (\d+) to (\d+)$/.exec(form) ?? []
  if (low !== undefined) return range(Number(low), Number(high))
  const [, least, greatest] = /^number, ([\d.]+) to ([\d.]+)$/.exec(form) ?? []
  if (least !== undefined)
    return { accepted: [least, greatest!], refused: ['-0.0001', `${greatest}.1`, 'much', '1e2', 'NaN', '0,5'] }
  const [, most] = /^whole seconds, at most (\d+)$/.exec(form) ?? []
  if (most !== undefined) return { accepted: ['1', most], refused: ['-1', `${Number(most) + 1}`, '1.5', 'soon'] }
  const [, longest] = /^seconds, at most (\d+)$/.exec(form) ?? []
  if (longest !== undefined)
    return { accepted: ['0.1', longest], refused: ['0', '-1', `${longest}.1`, 'soon', '1e2', 'NaN'] }
  const [, richest] = /^amount, at most (\d+)$/.exec(form) ?? []
  if (richest !== undefined) return { accepted: ['0', richest], refused: ['-1', `${richest}.1`, 'much', '1e2'] }
  switch (form) {
    case 'none, or whole number, 100 to 200000':
      return { accepted: ['none', '100', '200000'], refused: ['99', '200001', '1.5', 'much', '1e3'] }
    case 'bytes':
    case 'whole number':
      return { accepted: ['1', `${MOST}`], refused: ['0', '-1', '1.5', TOO_MANY, '1MB'] }
    case 'bytes, at most 1073741824':
      return { accepted: ['1', '1073741824'], refused: ['0', '1073741825', '1.5', '1GB'] }
    case 'MiB, 256 or more':
      return { accepted: ['256'], refused: ['255', '0', '256.5', 'much'] }
    case 'port, 0 for any free one':
      return { accepted: ['0', '65535'], refused: ['-1', '65536', '80.5', 'http'] }
    case 'http or https address':
      return {
        accepted: ['http://127.0.0.1:1', 'https://host.example/a/'],
        refused: ['ftp://host', 'host:80', '//host', 'x y'],
      }
    case 'postgres://user:password@host:port/database':
      return {
        accepted: ['postgres://user:word@host:5432/name', 'postgresql://host/name'],
        refused: ['http://host/name', 'postgres://host', 'host:5432/name'],
      }
    case 'postgres address':
      return {
        accepted: ['postgres://host/name', 'postgresql://user@host:5432/name?sslmode=require'],
        refused: ['http://host/name', 'postgres://host', 'host:5432/name', 'name.jsonl'],
      }
    case 'http or https address, or platform-gateway':
      return {
        accepted: ['platform-gateway', 'http://127.0.0.1:1', 'https://host.example/a/'],
        refused: ['gateways', 'ftp://host', 'host:80', 'file:///x', 'http://user:word@host'],
      }
    case 'id':
      return {
        accepted: ['a', '0', `A-1_b.${'c'.repeat(121)}`],
        refused: ['../x', 'a/b', '.a', 'a b', 'ä', 'a'.repeat(129)],
      }
    case 'pairs such as judge-a=qwen,judge-b=llama':
      return { accepted: ['a=b', 'a=b, c=d'], refused: ['a', 'a=', '=b', 'a=b=c', 'a=b,c'] }
    case 'at least 32 bytes':
      return { accepted: ['x'.repeat(32), 'ä'.repeat(16)], refused: ['x'.repeat(31)] }
    case 'JSON object':
      return { accepted: ['{}'], refused: ['[]', '{', '1', 'text'] }
    case 'three letters':
      return { accepted: ['EUR'], refused: ['eur', 'EURO', 'E1R'] }
    case 'name of 3 to 63 lower-case letters, digits, dots and hyphens':
      return { accepted: ['abc', 'a'.repeat(63)], refused: ['ab', 'a'.repeat(64), 'Upper', 'a_b'] }
    case 'size such as 512m':
      return { accepted: ['4g'], refused: ['0', 'm', '512x', '-1m'] }
  }
  if (!/^[\w-]+(?:, [\w-]+)* or [\w-]+$/.test(form)) return null
  const choices = form.split(/, | or /)
  return { accepted: choices, refused: ['other', choices[0]!.toUpperCase()] }
}

/** Texts that are taken as they are; a wrong one shows where it is used. */
const FREE = ['host', 'path', 'token', 'name', 'commit', 'cpu', 'name of a model', 'list, separated by commas', 'debug']
/** Read by the app, which starts these services or uses others in their place. */
const OF_THE_APP = ['DOCCONV_ADAPTER_ENDPOINT', 'TTS_ENDPOINT', 'TTSVOICE_LOCALHOST_PORT']
/** Refused where they are used: with a wrong mode every guarded route is closed with 503. */
const CLOSED_LATER = ['BACKEND_IDENTITY_AUTH']

describe.each(Object.entries(PROGRAMS))('%s', (program, load) => {
  const variables = Object.entries(VARIABLES)
    .filter(([, { by }]) => by === program)
    .filter(([name]) => !OF_THE_APP.includes(name))
    .map(([name, variable]) => ({ name, ...variable, values: valuesOf(variable.form) }))
  const bounded = variables.flatMap(({ name, values, ...rest }) => (values === null ? [] : [{ name, values, ...rest }]))

  function problemsOf(env: Record<string, string>): readonly string[] {
    try {
      load(env)
      return []
    } catch (error) {
      if (error instanceof ServiceConfigError || error instanceof InputError) return error.problems
      throw error
    }
  }
  const refusedIn = (env: Record<string, string>): string[] => {
    const problems = problemsOf(env)
    return Object.keys(env).filter((name) => problems.some((problem) => problem.startsWith(`${name}:`)))
  }
  const invalidIn = (env: Record<string, string>): string[] =>
    problemsOf(env).filter((problem) => Object.keys(env).some((name) => problem.startsWith(`${name}: ${INVALID}`)))
  // The runner reports nothing else about one variable; services also report how two of them fit together.
  const INVALID = program === 'runner' ? '' : 'invalid value'

  it('has variables, each of a form that this test knows', () => {
    expect(variables.length).toBeGreaterThan(5)
    const unknown = variables.filter(
      ({ form, values }) => values === null && !FREE.includes(form) && form !== 'tokens, at most half of the size',
    )
    expect(unknown.map(({ name, form }) => `${name}: ${form}`)).toEqual([])
  })

  it('starts with its defaults, unset or written out', () => {
    const required: Record<string, string> =
      program === 'converter-adapter' ? { DOCCONV_ADAPTER_API_TOKEN: 'x', DOCCONV_API_TOKEN: 'x' } : {}
    expect(invalidIn(required)).toEqual([])
    const written = variables.flatMap(({ name, default: value, form }) =>
      value === null || FREE.includes(form) ? [] : [[name, value] as const],
    )
    expect(invalidIn(Object.fromEntries(written))).toEqual([])
  })

  const most = (key: keyof Values): number => Math.max(...bounded.map(({ values }) => values[key].length))
  const nth = (key: keyof Values, index: number) =>
    Object.fromEntries(
      bounded
        .filter(({ values }) => values[key].length > index)
        .map(({ name, values }) => [name, values[key][index]!] as const),
    )

  it('takes the lowest and the highest value and every choice', () => {
    for (let index = 0; index < most('accepted'); index += 1)
      expect([index, invalidIn(nth('accepted', index))]).toEqual([index, []])
  })

  it('refuses each malformed value at the start, by the name of its variable', () => {
    for (let index = 0; index < most('refused'); index += 1) {
      const env = nth('refused', index)
      const names = Object.keys(env).filter((name) => !CLOSED_LATER.includes(name))
      expect([index, refusedIn(env)]).toEqual([index, names])
    }
  })

  it('shows no value of a secret in a problem', () => {
    const secrets = bounded.filter(({ isSecret }) => isSecret === true)
    const env = Object.fromEntries(secrets.map(({ name, values }) => [name, values.refused[0]!]))
    for (const problem of problemsOf(env)) for (const value of Object.values(env)) expect(problem).not.toContain(value)
  })
})
