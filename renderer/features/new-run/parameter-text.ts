import type { AliasView } from '../../../contract/control/experiment.ts'
import { PARAMETER_WORDS } from '../../../core/approach-parameters.ts'
import { lowerFirst } from '../../../contract/words.ts'
import { NEW_RUN_WORDS } from './new-run-words.ts'

const WORDS = NEW_RUN_WORDS.aliasChoice

/** One parameter in the words of its editor: "chunks retrieved 20", "reranker on". */
function words([name, value]: [string, unknown]): string {
  const label = lowerFirst(PARAMETER_WORDS[name]?.label ?? WORDS.labels[name] ?? name.replaceAll('_', ' '))
  const shown = typeof value === 'boolean' ? (value ? WORDS.on : WORDS.off) : value
  return `${label} ${typeof shown === 'string' ? shown : JSON.stringify(shown)}`
}

/** Returns what makes an alias what it is; of a flavor, only where it differs from its base. */
export function parameterText(
  { parameters, settable, requires_reingest: reingest, evidence }: AliasView,
  base?: AliasView,
): string {
  // Settings of a graph query are shown beside those that its alias has by the name of a profile.
  const [shown, ofBase] = settable === null ? [parameters, base?.parameters] : [settable, base?.settable]
  const differs = ([name, value]: [string, unknown]): boolean =>
    base === undefined || JSON.stringify(ofBase?.[name]) !== JSON.stringify(value)
  const given = Object.entries(base === undefined ? parameters : shown).filter(differs)
  return [
    ...given.map(words),
    ...(base !== undefined && given.length === 0 ? [WORDS.asItsBase] : []),
    ...(base === undefined && evidence === 'answer_only' ? [WORDS.answerOnly] : []),
    ...(reingest ? [WORDS.ingestsAgain] : []),
  ].join(' · ')
}
