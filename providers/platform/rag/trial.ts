// A trial is one question of a tuning: its alias answers with other parameters, from the collections of another profile, or without writing an answer. In: the `trial` of a
// chat request. Out: the flavor to answer with, what its steps may use, and the report that confirms it. Vectors of questions are kept for all trials, so that a
// question is embedded once, whatever number of settings is tried. Answers that are measured never come here.
import type { z } from 'zod'
import { retrievesFirst, type ApproachParameters } from '../../../contract/approaches.ts'
import type { Trial, TrialReport } from '../../../contract/http/trial.ts'
import { Flavor } from '../../../contract/manifests/flavors.ts'
import { describeIssues } from '../../../core/issues.ts'
import type { ApproachAnswer, TrialServices } from './approach.ts'
import type { CallCounts } from './call-meter.ts'
import { RagError } from './rag-error.ts'

interface OpenTrial {
  flavor: Flavor
  profile: string | undefined
  services: TrialServices
  /** The answer with what the platform confirms. */
  reported(answer: ApproachAnswer, counts: Pick<CallCounts, 'rerankCalls'>): ApproachAnswer
}

export interface Trials {
  /** Null for a request that is no trial. Throws `RagError` for parameters that the alias cannot have. */
  open(flavor: Flavor, trial: Trial | undefined): OpenTrial | null
}

/** At 1,000 dimensions about 40 MB. */
const MOST_VECTORS = 10_000

export function createTrials(): Trials {
  const vectors = new Map<string, Promise<Float32Array>>()

  function vectorOf(key: string, embed: () => Promise<Float32Array>): Promise<Float32Array> {
    const known = vectors.get(key)
    if (known !== undefined) return known
    const made = embed()
    vectors.set(key, made)
    // The next trial asks again for what failed.
    made.catch(() => vectors.delete(key))
    const [oldest] = vectors.keys()
    if (vectors.size > MOST_VECTORS && oldest !== undefined) vectors.delete(oldest)
    return made
  }

  return {
    open(declared, trial) {
      if (trial === undefined) return null
      const flavor = withParameters(declared, trial.parameters)
      if (!trial.answer && !retrievesFirst(flavor))
        throw new RagError(
          'unsupported_parameter',
          `trial.answer: ${flavor.base} chooses its passages while it answers, so it cannot be asked for them alone`,
          { param: 'trial' },
        )
      const spent = { embedded: 0, seconds: 0 }
      const services: TrialServices = {
        isRetrievalOnly: !trial.answer,
        async vectorOf(key, embed) {
          const started = performance.now()
          try {
            return await vectorOf(key, () => {
              spent.embedded += 1
              return embed()
            })
          } finally {
            spent.seconds += (performance.now() - started) / 1000
          }
        },
      }
      return {
        flavor,
        profile: trial.profile,
        services,
        reported(answer, { rerankCalls }) {
          const report: TrialReport = {
            ...trial,
            embedded: spent.embedded,
            embed_seconds: spent.seconds,
            reranked: rerankCalls,
          }
          return { ...answer, metadata: { ...answer.metadata, trial: report } }
        },
      }
    },
  }
}

/** The flavor with other values. A managed graph query is tuned by its settings, which the caller names completely. */
function withParameters(flavor: Flavor, values: Trial['parameters']): Flavor {
  const names = Object.keys(values)
  if (names.length === 0) return flavor
  if (flavor.base === 'own-approach') return { ...flavor, parameters: withSettings(flavor.parameters, values) }
  const isComplete = 'query_profile' in flavor.parameters
  const parsed = Flavor.safeParse({ ...flavor, parameters: isComplete ? values : { ...flavor.parameters, ...values } })
  if (parsed.success) return parsed.data
  throw new RagError('unsupported_parameter', `trial: ${describeIssues(parsed.error).join('; ')}`, { param: 'trial' })
}

type OwnParameters = ApproachParameters['own-approach']

/** An own approach is tuned by settings that its file has, and none that its address is made of: that is what the person allowed. */
function withSettings(parameters: OwnParameters, { ...values }: Trial['parameters']): OwnParameters {
  const known = parameters['settings'] as Record<string, z.core.util.JSONType>
  const address = typeof parameters['url'] === 'string' ? parameters['url'] : ''
  const k: Record<string, number> =
    typeof parameters['k'] === 'number' && 'k' in values ? { k: passagesOf(values['k']) } : {}
  if ('k' in k) delete values['k']
  for (const [name, value] of Object.entries(values)) {
    const before = known[name]
    if (before === undefined) throw unusable(name, 'its file has no such setting')
    if (typeof before !== typeof value) throw unusable(name, `expected a ${typeof before}, as in its file`)
    if (address.includes(`{{${name}}}`))
      throw unusable(name, 'the address is made of it, and a trial keeps the address')
  }
  return { ...parameters, ...k, settings: { ...known, ...values } }
}

function passagesOf(value: unknown): number {
  if (typeof value === 'number' && Number.isInteger(value) && value >= 1 && value <= 200) return value
  throw unusable('k', 'expected a whole number from 1 to 200')
}

const unusable = (name: string, problem: string): RagError =>
  new RagError('unsupported_parameter', `trial.parameters.${name}: ${problem}`, { param: 'trial' })
