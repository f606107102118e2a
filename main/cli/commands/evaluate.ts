import { existsSync } from 'node:fs'
import { EvaluationMetric, Identifier } from '../../../contract/common.ts'
import type { RunEvent } from '../../../contract/evidence/run-event.ts'
import { namedFiles, storedFilesOf } from '../../evidence/files/artifact-files.ts'
import { sanitizeForTerminal } from '../../lib/text/sanitize-for-terminal.ts'
import { InputError } from '../../manifests/runner-inputs.ts'
import { runsIn } from '../../report/publication/folder-summaries.ts'
import { evaluateStoredRun } from '../../runner/finish/evaluate-stored-run.ts'
import { datasetRunsOf } from '../../runner/prepare/prepare-run.ts'
import { EXIT, flag, flagOption, textOption, textValue, type Command, type Invocation } from '../command.ts'
import { exitCodeOf } from '../exit-code.ts'
import { pickOptions } from '../options.ts'
import { choosePlatform, setUpRun } from '../run-setup.ts'
import { listenForStop } from '../stop-signals.ts'
import { scanArtifacts } from '../unusable-files.ts'

/** Prints the scores of each dataset in a line, what is still missing, and notices; the steps are no news here. */
const printer =
  ({ stdout, stderr }: Pick<Invocation, 'stdout' | 'stderr'>) =>
  (event: RunEvent): void => {
    if (event.type === 'notice') {
      const message = sanitizeForTerminal(event.message)
      if (event.level === 'info') stdout.write(`${message}\n`)
      else stderr.write(`${event.level}: ${message}\n`)
    }
    if (event.type !== 'step.finished' || event.note === null) return
    if (event.step === 'evaluate' || event.step === 'summarize')
      stdout.write(`${event.dataset_id}: ${sanitizeForTerminal(event.note)}\n`)
  }

export const evaluateCommand: Command = {
  name: 'evaluate',
  options: {
    ...pickOptions('project', 'manifest', 'dataset', 'metrics', 'results', 'model-set'),
    ...pickOptions('gateway', 'platform', 'evaluator'),
    from: textValue('RUN', 'run whose answers are scored'),
    'run-id': textValue('ID', 'name of the new run'),
    'grade-all': flag('grade also answers that have all grades of the same evaluator and prompts'),
  },
  collectsProblems: true,
  async run(invocation) {
    const setup = await setUpRun(invocation)
    const from = Identifier.safeParse(textOption(invocation, 'from'))
    if (!from.success) throw new InputError(['--from: name the run whose answers are to be scored'])
    if (textOption(invocation, 'run-id') === null || setup.runId === from.data)
      throw new InputError(['--run-id: give the new run its own name; rows of a run are never changed'])
    if (setup.metrics.length === 0)
      throw new InputError([`--metrics: name at least one of ${EvaluationMetric.options.join(', ')}`])
    const place = { ...setup, named: namedFiles(setup.root, setup.inputs) }
    const evidenceOf = (id: string): string => storedFilesOf(place, from.data, id).evidence
    const without = setup.datasets.map(({ dataset }) => dataset.id).filter((id) => !existsSync(evidenceOf(id)))
    if (without.length > 0) {
      const isAny = existsSync(place.resultsDir) || Object.keys(place.named).length > 0
      const runs = isAny ? runsIn(await scanArtifacts(place)) : []
      const others = runs.length === 0 ? 'there is no run' : `the runs there are ${runs.join(', ')}`
      throw new InputError([
        `--from: ${place.resultsDir} holds no answers of the run ${from.data} on ${without.join(', ')}; ${others}`,
      ])
    }
    const stop = listenForStop((message) => invocation.stderr.write(`${message}\n`), setup.root)
    try {
      const emit = printer(invocation)
      const platform = choosePlatform(setup, invocation, () => undefined)
      const isSetNamed = textOption(invocation, 'model-set') !== null && textOption(invocation, 'evaluator') === null
      const request = { ...setup.request, evaluate_from: from.data }
      if (!isSetNamed) delete request.model_set
      const runs = datasetRunsOf({ ...setup, request }, { platform, emit, drain: stop.drain, abort: stop.abort })
      const answered = { runId: from.data, evidenceOf, all: flagOption(invocation, 'grade-all') }
      const { outcome, datasets, failures } = await evaluateStoredRun(runs, answered, emit)
      if (failures[0] !== undefined) {
        invocation.stderr.write(`error: ${sanitizeForTerminal(failures[0].message)}\n`)
        return exitCodeOf(failures[0])
      }
      if (outcome === 'interrupted') return EXIT.interrupted
      return datasets.every(({ columns }) => columns.length === 0) ? EXIT.ok : EXIT.cellsFailed
    } finally {
      stop.dispose()
    }
  },
}
