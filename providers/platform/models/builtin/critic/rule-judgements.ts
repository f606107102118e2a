import { generateQuestions } from './generate-questions.ts'
import { attributeStatement, judgeUsefulness } from './judge-reference.ts'
import { judgeStatement } from './judge-statement.ts'
import { splitStatements } from './statements.ts'

/** The judgements that evaluation needs, by rules: deterministic, without a model. */
export const ruleJudgements = {
  splitStatements,
  judgeStatement,
  generateQuestions,
  judgeUsefulness,
  attributeStatement,
} as const
