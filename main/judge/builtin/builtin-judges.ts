import { BUILTIN_JUDGES } from '../../../contract/control/judging.ts'
import type { JudgeTask, LetterVerdict } from '../../../core/judging/judge-task.ts'
import type { JudgeClient } from '../judge-client.ts'
import { modelFamily } from '../model-family.ts'
import { judgeLexicalSupport, LEXICAL_SUPPORT_VERSION } from './lexical-support.ts'
import { judgeSemanticMatch, SEMANTIC_MATCH_VERSION } from './semantic-match.ts'

/** The judges that need no model and no network. They are rules, not language models, as their names show. */
export { BUILTIN_JUDGES }
type BuiltinJudge = (typeof BUILTIN_JUDGES)[number]

const RULES: Readonly<Record<BuiltinJudge, { judge: (task: JudgeTask) => LetterVerdict; version: number }>> = {
  'builtin-lexical-support': { judge: judgeLexicalSupport, version: LEXICAL_SUPPORT_VERSION },
  'builtin-semantic-match': { judge: judgeSemanticMatch, version: SEMANTIC_MATCH_VERSION },
}

/** Names with this beginning never go to an endpoint. */
export const isBuiltinName = (name: string): boolean => name.startsWith('builtin-')

export const isBuiltinJudge = (name: string): name is BuiltinJudge => Object.hasOwn(RULES, name)

/** One of the built-in judges: deterministic, in this process. */
export function createBuiltinJudge(name: BuiltinJudge, families: Readonly<Record<string, string>> = {}): JudgeClient {
  const { judge, version } = RULES[name]
  return {
    name,
    family: modelFamily(name, families),
    kind: 'builtin',
    identity: { version },
    async judge(task, signal) {
      signal?.throwIfAborted()
      return { ok: true, verdict: judge(task), attempts: 1 }
    },
    close: async () => undefined,
  }
}
