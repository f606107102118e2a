import { expect, it } from 'vitest'
import { JudgePanelError } from '../judge/judge-error.ts'
import { ReportError } from '../report/report-error.ts'
import { ArtifactsInvalidError } from '../runner/finish/finish-dataset.ts'
import { StepFailedError } from '../runner/ladder-step.ts'
import { GraphMissingError } from '../runner/run-dataset.ts'
import { exitCodeOf, isForeseen } from './exit-code.ts'

it.each([
  [new ReportError('torn_tail', 'x'), 4],
  [new ReportError('mixed_provenance', 'x'), 4],
  [new ReportError('catalogue', 'x'), 2],
  [new ReportError('publish_busy', 'x'), 5],
  [new ArtifactsInvalidError([]), 4],
  [new JudgePanelError('panel_failed', 'x'), 5],
  [new JudgePanelError('mixed_answers', 'x'), 4],
  [new JudgePanelError('judge_models_missing', 'x'), 2],
  [new GraphMissingError('x'), 5],
])('%s of a command or of a step has its documented exit code and no stack trace', (error, code) => {
  expect([exitCodeOf(error), exitCodeOf(new StepFailedError('judge', error))]).toEqual([code, code])
  expect(isForeseen(error)).toBe(true)
})
