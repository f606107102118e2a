import type { ConnectionView, FoundModels, ModelTest } from '../../../contract/control/models.ts'
import type { Tone } from '../../components/state-dot.tsx'
import { MODELS_WORDS } from './models-words.ts'

const WORDS = MODELS_WORDS.connections

interface ConnectionState {
  tone: Tone
  words: string
  /** The one thing to do next. */
  next: 'key' | 'test' | 'models'
}

/** Sums up a test: a service can answer and yet fail at other work. */
export function testOutcome({ works, problems, probes }: ModelTest): { tone: Tone; words: string } {
  if (problems.length > 0) return { tone: 'bad', words: MODELS_WORDS.test.notTested }
  if (!works) return { tone: 'bad', words: MODELS_WORDS.test.fails }
  const failed = probes.filter(({ status }) => status === 'failed').length
  return failed === 0
    ? { tone: 'good', words: MODELS_WORDS.test.works }
    : { tone: 'waiting', words: MODELS_WORDS.test.worksInPart(failed, probes.length) }
}

/** Describes a connection without a call: its key, its last test, and what listens on this machine. */
export function connectionState(
  { kind, address, key, key_env: variable, key_set: hasKey }: ConnectionView,
  test: ModelTest | undefined,
  services: FoundModels['services'],
): ConnectionState {
  if (!hasKey) return { tone: 'bad', words: key === 'stored' ? WORDS.noKey : WORDS.unset(variable ?? ''), next: 'key' }
  if (test !== undefined) return { ...testOutcome(test), next: 'test' }
  // An address that begins with a variable is not resolved here; its usual one was looked at.
  const found = services.find((each) => each.kind === kind && (each.address === address || address.includes('${')))
  if (found !== undefined && found.models.length > 0)
    return { tone: 'good', words: WORDS.answers(found.models.length), next: 'models' }
  return { tone: 'idle', words: WORDS.notTested, next: 'test' }
}

/** Names the place of a connection's key; null where it has none, or it is missing. */
export function keyWords({ key, key_env: variable, key_set: isThere }: ConnectionView): string | null {
  if (key === 'stored') return isThere ? WORDS.keyStored : null
  return variable === null || !isThere ? null : WORDS.keyIn(variable)
}

/** An address as it is used unless variables of the environment are set, with their names. */
export function addressWords(address: string): { address: string; variables: string[] } {
  const variables: string[] = []
  const usual = address.replace(
    /\$\{([A-Z0-9_]+)(?::-([^}]*))?\}/gi,
    (_, name: string, otherwise: string | undefined) => {
      variables.push(name)
      return otherwise ?? ''
    },
  )
  return { address: usual, variables }
}
