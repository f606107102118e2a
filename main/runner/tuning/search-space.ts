import { readFile } from 'node:fs/promises'
import type { z } from 'zod'
import { CHUNK_PARAMETERS, DECIDED_BY_BUDGET, type SettingValues } from '../../../contract/evidence/tuning.ts'
import { approachDescriptor } from '../../../contract/approaches.ts'
import type { Alias } from '../../../contract/manifests/aliases.ts'
import { ChunkerSettings, type IngestionProfile } from '../../../contract/manifests/consumer.ts'
import { ownParameters } from '../../../contract/manifests/flavors.ts'
import { parameterFields } from '../../../core/approach-parameters.ts'
import { describeIssues } from '../../../core/issues.ts'
import { messageOf } from '../../../core/json.ts'
import { plainNumber } from '../../../core/plain-number.ts'
import { remedyFor } from '../../evidence/typed-command.ts'
import { nearestName } from '../../lib/text/nearest-name.ts'
import { InputError } from '../../manifests/runner-inputs.ts'

// The space of a tuning: for each parameter the values that it may take. `alpha=0,0.5,1` lists them, `alpha=0:1:0.25` counts from an end to the other by a step, `alpha=0:1` is
// any number between them, for a search that draws, and `answer_prompt=@a.txt,@b.txt` reads texts from files.

type Value = z.core.util.JSONType

/** One parameter with what it may be. */
export interface Dimension {
  name: string
  /** The alias as it is. */
  standard: Value
  values: Value[]
  /** Ends of a range without a step, for drawing; null where values are listed. */
  between: readonly [low: number, high: number] | null
  isWhole: boolean
}

interface TunableField {
  kind: 'integer' | 'share' | 'switch' | 'choice' | 'text'
  range: readonly [number, number] | null
  standard: Value | undefined
}

/** Most values of one parameter. */
const MOST_VALUES = 200

/**
 * Lists what an alias can tune: the parameters of its approach, the settings of an own approach, and the chunks of what it searches, where no graph is made of them.
 */
function tunableFields(alias: Alias, values: Readonly<Record<string, Value>>, profile: IngestionProfile) {
  const { base, flavor } = alias
  const fields = new Map<string, TunableField>()
  if (base === 'own-approach') {
    const parameters = flavor.parameters as Record<string, Value>
    for (const [name, standard] of Object.entries(parameters['settings'] as Record<string, Value>))
      fields.set(name, { kind: kindOf(standard), range: null, standard })
    if (typeof parameters['k'] === 'number')
      fields.set('k', { kind: 'integer', range: [1, 200], standard: parameters['k'] })
    return fields
  }
  for (const { name, kind, range } of parameterFields(base)) fields.set(name, { kind, range, standard: values[name] })
  if (approachDescriptor(base).usesGraph !== true)
    for (const name of CHUNK_PARAMETERS)
      fields.set(name, {
        kind: 'integer',
        range: name === 'overlap' ? [0, 2048] : [1, 8192],
        standard: profile.chunker[name],
      })
  return fields
}

const kindOf = (value: Value): TunableField['kind'] =>
  typeof value === 'boolean'
    ? 'switch'
    : typeof value === 'number'
      ? Number.isInteger(value)
        ? 'integer'
        : 'share'
      : 'choice'

/** Names the way to have answers written in trials. */
export const writeAnswers = (): string => remedyFor({ panel: 'switch on Write answers', commandLine: 'add --answers' })

interface SpaceOptions {
  alias: Alias
  /** All parameters of the alias as it is. */
  values: Readonly<Record<string, Value>>
  profile: IngestionProfile
  /** True where answers are written, so that prompts can be tuned. */
  answers: boolean
}

/** Reads `parameter=values` arguments. Throws `InputError` with every problem. */
export async function readSpace(assignments: readonly string[], options: SpaceOptions): Promise<Dimension[]> {
  const { alias, answers } = options
  const fields = tunableFields(alias, options.values, options.profile)
  const problems: string[] = []
  const dimensions: Dimension[] = []
  for (const assignment of assignments) {
    const [name = '', ...rest] = assignment.split('=')
    const problem = problemOf(name, rest.join('='), { fields, alias, answers })
    const known = dimensions.some((each) => each.name === name)
    if (problem !== null || known) {
      problems.push(problem ?? `${name}: named twice, name all its values at once`)
      continue
    }
    try {
      dimensions.push(await dimensionOf(name, rest.join('='), fields.get(name)!))
    } catch (error) {
      if (!(error instanceof InputError)) throw error
      problems.push(error.message)
    }
  }
  if (assignments.length === 0)
    problems.push(
      `name what is tuned, such as alpha=0:1:0.25: ${[...fields.keys()].filter((each) => !DECIDED_BY_BUDGET.includes(each)).join(', ')}`,
    )
  if (problems.length > 0) throw new InputError(problems)
  return dimensions
}

function problemOf(
  name: string,
  text: string,
  { fields, alias, answers }: { fields: ReadonlyMap<string, TunableField>; alias: Alias; answers: boolean },
): string | null {
  const field = fields.get(name)
  if (field === undefined) {
    const meant = nearestName(name, [...fields.keys()])
    const known = fields.size === 0 ? 'nothing can be tuned of it' : `there are ${[...fields.keys()].join(', ')}`
    return `${name} is no parameter of ${alias.alias}${meant === null ? '' : `, did you mean ${meant}?`}: ${known}`
  }
  if (text === '') return `${name}: name its values, such as ${name}=1,2 or ${name}=1:9:2`
  if (alias.base !== 'own-approach' && DECIDED_BY_BUDGET.includes(name))
    return `${name} changes nothing here: every trial hands over as many passages as ${remedyFor({ panel: 'the context budget', commandLine: '--context-budget' })} holds`
  if (field.kind === 'text' && !answers)
    return `${name} changes only what is written from the passages: ${writeAnswers()} to tune it`
  return null
}

async function dimensionOf(name: string, text: string, field: TunableField): Promise<Dimension> {
  const isNumber = field.kind === 'integer' || field.kind === 'share'
  const isWhole = field.kind === 'integer'
  const ends = isNumber ? text.split(':') : [text]
  const head = { name, standard: field.standard ?? null, isWhole }
  if (ends.length > 1) {
    const [low, high, step] = ends.map((end) => numberIn(name, end, isWhole)) as [number, number, number?]
    if (ends.length > 3 || low >= high || (step !== undefined && step <= 0))
      throw new InputError([`${name}=${text}: expected FROM:TO or FROM:TO:STEP, such as 0:1:0.25`])
    inRange(name, [low, high], field)
    if (step === undefined) return { ...head, values: [], between: [low, high] }
    const count = Math.floor((high - low) / step + 1e-9) + 1
    if (count > MOST_VALUES)
      throw new InputError([`${name}=${text}: ${count} values, at most ${MOST_VALUES} are tried`])
    return {
      ...head,
      between: null,
      values: Array.from({ length: count }, (_, at) => Number((low + at * step).toFixed(6))),
    }
  }
  const values = await Promise.all(text.split(',').map((each) => valueOf(name, each.trim(), field)))
  if (new Set(values).size !== values.length) throw new InputError([`${name}=${text}: a value is listed twice`])
  inRange(name, values, field)
  return { ...head, values, between: null }
}

async function valueOf(name: string, text: string, { kind }: TunableField): Promise<Value> {
  if (kind === 'integer' || kind === 'share') return numberIn(name, text, kind === 'integer')
  if (kind === 'switch') {
    if (text === 'true' || text === 'false') return text === 'true'
    throw new InputError([`${name}: expected true or false, got ${text}`])
  }
  if (!text.startsWith('@')) return text
  return readFile(text.slice(1), 'utf8').then(
    (read) => read.trim(),
    (error: unknown) => {
      throw new InputError([`${name}: cannot read ${text.slice(1)}: ${messageOf(error)}`])
    },
  )
}

function numberIn(name: string, text: string, isWhole: boolean): number {
  const value = plainNumber(text, isWhole ? 'whole' : 'decimal')
  if (value !== null) return value
  throw new InputError([
    `${name}: expected ${isWhole ? 'whole numbers' : 'numbers'}, got ${text === '' ? 'nothing' : text}`,
  ])
}

function inRange(name: string, values: readonly Value[], { range }: TunableField): void {
  if (range === null) return
  const wrong = values.find((value) => typeof value === 'number' && (value < range[0] || value > range[1]))
  if (wrong !== undefined)
    throw new InputError([`${name}: expected values from ${range[0]} to ${range[1]}, got ${JSON.stringify(wrong)}`])
}

/** Returns what is wrong with a setting; null for one that the approach and the ingestion take. */
export function settingProblem(
  setting: SettingValues,
  { alias, values, profile }: Pick<SpaceOptions, 'alias' | 'values' | 'profile'>,
): string | null {
  const { chunk_size = profile.chunker.chunk_size, overlap = profile.chunker.overlap, ...parameters } = setting
  const chunker = ChunkerSettings.safeParse({ ...profile.chunker, chunk_size, overlap })
  if (!chunker.success) return describeIssues(chunker.error).join('; ')
  const parsed = ownParameters(alias.base)?.safeParse(withoutNull({ ...values, ...parameters }))
  return parsed === undefined || parsed.success ? null : describeIssues(parsed.error).join('; ')
}

const withoutNull = (values: Readonly<Record<string, Value>>): object =>
  Object.fromEntries(Object.entries(values).filter(([, value]) => value !== null))
