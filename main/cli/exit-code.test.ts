import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { PROJECT_ROOT } from '../../tests/helpers/project-root.ts'
import { JudgePanelError } from '../judge/judge-error.ts'
import { ReportError } from '../report/report-error.ts'
import { ArtifactsInvalidError } from '../runner/finish/finish-dataset.ts'
import { StepFailedError } from '../runner/ladder-step.ts'
import { GraphMissingError } from '../runner/run-dataset.ts'
import { CODE_BY_CONTENT, CODE_BY_NAME, exitCodeOf, isForeseen } from './exit-code.ts'

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

it('each error with an exit code is a class of that name', () => {
  const sources = globSync('main/**/*.ts', { cwd: PROJECT_ROOT }).map((file) =>
    readFileSync(join(PROJECT_ROOT, file), 'utf8'),
  )
  const names = new Set(sources.flatMap((text) => [...text.matchAll(/\bname = '(\w+Error)'/g)].map(([, name]) => name)))
  const listed = [...Object.keys(CODE_BY_NAME), ...Object.keys(CODE_BY_CONTENT)]
  expect(listed.filter((name) => !names.has(name))).toEqual([])
})

it('a failing command loads no module of a run for its exit code', () => {
  const imports = readFileSync(join(PROJECT_ROOT, 'main/cli/exit-code.ts'), 'utf8').matchAll(/^import (?!type).*$/gm)
  expect([...imports].map(([line]) => line)).toEqual(["import { EXIT, type ExitCode } from './command.ts'"])
})
