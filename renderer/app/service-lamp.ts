import type { ServiceView } from '../../contract/control/services.ts'
import { SERVICE_SIGNS, type Tone } from '../components/state-dot.tsx'
import type { EventLink } from '../data/events.ts'
import { SHELL_WORDS } from './shell-words.ts'

const WORDS = SHELL_WORDS.sidebar

/** The worst state of engine and services, in a sign and at most two words. */
export function lampOf(
  link: EventLink,
  services: readonly Pick<ServiceView, 'state'>[],
): { tone: Tone; words: string } {
  const signs = services.map(({ state }) => SERVICE_SIGNS[state])
  const [bad, waiting, good] = (['bad', 'waiting', 'good'] as const).map(
    (tone) => signs.filter((sign) => sign === tone).length,
  ) as [number, number, number]
  if (link === 'lost' || link === 'expired') return { tone: 'bad', words: WORDS.noEngine }
  if (bad > 0) return { tone: 'bad', words: WORDS.failed(bad) }
  if (link === 'connecting' || waiting > 0) return { tone: 'waiting', words: WORDS.starting }
  return good > 0 ? { tone: 'good', words: WORDS.running(good) } : { tone: 'idle', words: WORDS.idle }
}
