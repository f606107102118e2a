// This file states what to do after a verdict.
import type { Aggregate } from '../../../contract/evidence/aggregate.ts'
import type { NextStep } from '../../../contract/evidence/verdict.ts'
import { countWords } from '../../../contract/words.ts'
import { MIN_CLUSTERS } from '../../statistics/estimate.ts'
import { marginWords } from './amounts.ts'
import type { Facts } from './facts.ts'

type Step = Pick<NextStep, 'kind' | 'label' | 'page'>

const STEPS = {
  read_differences: { kind: 'read_differences', label: 'Open matrix', page: '/matrix' },
  plan_questions: { kind: 'plan_questions', label: 'Add questions', page: '/datasets' },
  add_questions: { kind: 'add_questions', label: 'Add questions', page: '/datasets' },
  add_gold: { kind: 'add_gold', label: 'Add gold', page: '/datasets' },
  check_dataset: { kind: 'check_dataset', label: 'Check dataset', page: '/datasets' },
  retry_failures: { kind: 'retry_failures', label: 'Show failures', page: '/coverage' },
  new_run: { kind: 'new_run', label: 'New run', page: '/launch' },
  wait: { kind: 'wait', label: 'Show progress', page: '/ladder' },
} as const satisfies Record<NextStep['kind'], Step>

export const nextStep = ({ run_id, dataset }: Aggregate, kind: NextStep['kind'], text: string): NextStep => ({
  ...STEPS[kind],
  text,
  run_id,
  dataset_id: dataset.id,
})

/** Returns how to see smaller differences than this run could; the difference that was seen does not enter it. */
export function separateFurther({ aggregate, compared, name }: Facts): NextStep {
  const seen = compared.smallest_detectable
  return seen === null
    ? nextStep(
        aggregate,
        'add_questions',
        'To separate them, add questions on which they can differ: they differ in too few groups of these to be decided.',
      )
    : nextStep(
        aggregate,
        'plan_questions',
        `This run could see differences of ${marginWords(name, seen.median)} or more: read where the approaches differ. To see smaller ones, add questions; the check of the dataset simulates what they can decide.`,
      )
}

/** Returns how to reach a first test. */
export const addGroups = (aggregate: Aggregate, groups: number): NextStep =>
  nextStep(
    aggregate,
    'add_questions',
    `Add questions with gold in other documents: ${countWords(MIN_CLUSTERS - groups)} more ${MIN_CLUSTERS - groups === 1 ? 'group' : 'groups'} of questions make a test possible.`,
  )
