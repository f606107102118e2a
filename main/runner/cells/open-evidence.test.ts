import { afterEach, expect, it } from 'vitest'
import type { PlanConflict } from '../../../contract/evidence/run-event.ts'
import { nameButtonsInRemedies } from '../../evidence/typed-command.ts'
import { ResumeConflictError } from './open-evidence.ts'

const [STORED, CURRENT] = ['a1'.repeat(32), 'b2'.repeat(32)]
const conflict = (path: string, more: Partial<PlanConflict> = {}): PlanConflict => ({
  row_id: null,
  path,
  stored: JSON.stringify(STORED),
  current: JSON.stringify(CURRENT),
  ...more,
})
const linesOf = (...conflicts: PlanConflict[]): string[] =>
  new ResumeConflictError('run-evidence.jsonl', conflicts).message.split('\n')

afterEach(() => nameButtonsInRemedies(false))

it('a run under other conditions names what differs and what to do, before any value', () => {
  const lines = linesOf(
    conflict('reproducibility.runtime.repository.revision', { rows: 12, files: ['manifests/queries/smoke.yaml'] }),
    conflict('reproducibility.runtime.repository.dirty', { stored: 'false', current: 'true' }),
    conflict('reproducibility.config_hashes.models', { rows: 12, files: ['manifests/models.yaml'] }),
    conflict('reproducibility.runtime.models.roles.light_gen.model', { stored: '"m"', current: '"n"' }),
  )
  expect(lines.slice(0, 3)).toEqual([
    'run-evidence.jsonl: this run started under other conditions, and its rows must not be mixed with rows made now.',
    'What differs: files of the project (manifests/queries/smoke.yaml); the model sets (manifests/models.yaml); name of the model that writes answers: "m" → "n".',
    'Start a new run with --run-id, restore what is named above, or delete this run and start it again with --cold-reset.',
  ])
  expect(lines[4]).toBe(
    `  reproducibility.runtime.repository.revision: stored "a1a1a1a1a1a1", now "b2b2b2b2b2b2" (12 rows)`,
  )
  expect(lines.join('\n')).not.toMatch(/[0-9a-f]{13}/)
})

it('the panel names no option, and a field without words of its own is named', () => {
  nameButtonsInRemedies()
  const lines = linesOf(conflict('question.ground_truth', { stored: '"x"', current: '"y"' }))
  expect(lines[1]).toBe('What differs: question.ground_truth.')
  expect(lines[2]).not.toContain('--')
})

it('a setting of a model is named once with its model, what that does, and both values', () => {
  const limit = (role: string, model: string) =>
    conflict(`reproducibility.runtime.models.roles.${role}.settings.defaults.max_tokens`, {
      stored: '64',
      current: '900',
      rows: 4,
      files: ['manifests/models.yaml'],
      model,
    })
  expect(linesOf(limit('light_gen', 'm'), limit('agentic', 'm'), limit('evaluator', 'judge'))[1]).toBe(
    'What differs: max_tokens of the model m, which writes answers, runs the agent (manifests/models.yaml): 64 → 900; max_tokens of the model judge, which grades answers (manifests/models.yaml): 64 → 900.',
  )
})

it('texts that a model wrote are not to be restored by writing them again', () => {
  const lines = linesOf(conflict('reproducibility.ingestion.job_id'))
  expect(lines[1]).toContain('the graph, contexts or summaries that a model wrote from the documents')
  expect(lines[2]).toBe(
    'Start a new run with --run-id, bring the collections of this run back where they are in the trash, or delete this run and start it again with --cold-reset.',
  )
})

it('the collections and what else differs are both to be restored', () => {
  const limit = 'reproducibility.runtime.models.roles.light_gen.settings.defaults.max_tokens'
  expect(linesOf(conflict('reproducibility.ingestion.job_id'), conflict(limit))[2]).toBe(
    'Start a new run with --run-id, bring the collections of this run back where they are in the trash and restore what is named above, or delete this run and start it again with --cold-reset.',
  )
})

it('another file of the same name is named as such, without its digest', () => {
  const path = 'reproducibility.runtime.models.roles.light_gen.settings.path_sha256'
  expect(linesOf(conflict(path, { model: 'm', files: ['manifests/models.yaml'] }))[1]).toBe(
    'What differs: file or folder of the model m, which writes answers (manifests/models.yaml).',
  )
})

it('another value of a variable is named as such, without its digest', () => {
  const path = 'reproducibility.runtime.models.roles.embed.settings.resolved_digest'
  expect(linesOf(conflict(path, { model: 'm', files: ['manifests/models.yaml'] }))[1]).toMatch(
    /^What differs: value of the variable in the address or path of the model m, which .* \(manifests\/models.yaml\)\.$/,
  )
})

it('another set of models is named as such, and not by the settings of each of its models', () => {
  const role = 'reproducibility.runtime.models.roles.embed.model'
  expect(linesOf(conflict(role), conflict('reproducibility.runtime.models.set'))[1]).toBe(
    'What differs: the model set.',
  )
})
