import { setImmediate as nextTurn } from 'node:timers/promises'
import { ruleJudgements as rules } from '../../models/builtin/critic/rule-judgements.ts'
import type { Critic, StatementVerdict, Verdict } from './critic.ts'

/** Judges one statement after the other; other requests get their turn in between. */
async function judgeEach(
  statements: readonly string[],
  judge: (statement: string) => Verdict,
  signal?: AbortSignal,
): Promise<StatementVerdict[]> {
  const verdicts: StatementVerdict[] = []
  for (const statement of statements) {
    await nextTurn()
    signal?.throwIfAborted()
    verdicts.push({ statement, ...judge(statement) })
  }
  return verdicts
}

/** A critic by rules: deterministic, a baseline for trying and testing, no language model. */
export const ruleCritic: Critic = {
  kind: 'rules',
  splitStatements: async (_question, answer) => rules.splitStatements(answer),
  judgeStatements: (statements, contexts, signal) =>
    judgeEach(statements, (statement) => rules.judgeStatement(statement, contexts), signal),
  generateQuestions: async (answer, count) => rules.generateQuestions(answer, count),
  judgeUsefulness: async (question, context, reference) => rules.judgeUsefulness(question, context, reference),
  attributeReference: (_question, reference, contexts, signal) =>
    judgeEach(rules.splitStatements(reference), (statement) => rules.attributeStatement(statement, contexts), signal),
}
