import { existsSync } from 'node:fs'
import { join } from 'node:path'
import type { Dataset } from '../../../contract/manifests/datasets.ts'
import { artifactFiles, type ArtifactFiles } from '../../evidence/files/artifact-files.ts'
import { sanitizeForTerminal } from '../../lib/text/sanitize-for-terminal.ts'
import { isOwnDataset, OWN_IS_NOT_PUBLISHED } from '../../manifests/datasets/own-datasets.ts'
import { digestsToPublish } from '../../manifests/project/published-age.ts'
import { InputError } from '../../manifests/runner-inputs.ts'
import { publicationChange, scopeOf } from '../../report/publication/publication-change.ts'
import { leftOverNotice, publish } from '../../report/publication/publish.ts'
import { readAggregate } from '../../report/publication/write-artifacts.ts'
import { ArtifactsInvalidError } from '../../runner/finish/finish-dataset.ts'
import { SECRETS_FILE } from '../../runner/platform/platform-source.ts'
import { filesOf, type PreparedRun } from '../../runner/prepare/prepare-run.ts'
import { openPlatformSecrets } from '../../supervisor/platform-secrets.ts'
import { announceReplacements, questioner } from '../announce-effects.ts'
import { EXIT, flagOption, textOption, textValue, type Command, type Invocation } from '../command.ts'
import { pickOptions } from '../options.ts'
import { KEY_EXAMPLES_OPTION } from '../key-check.ts'
import { setUpRun, STATE_FOLDER } from '../run-setup.ts'

/** The named datasets, else those that the run has a summary of. Throws `InputError` when it has none that may be published. */
function datasetsOf(setup: PreparedRun, invocation: Invocation): { dataset: Dataset; files: ArtifactFiles }[] {
  const { datasets, experiment, resultsDir, runId, inputs } = setup
  const isOwn = (id: string): boolean => experiment.datasets.some((one) => one.dataset.id === id && isOwnDataset(one))
  if (textOption(invocation, 'dataset') !== null || inputs.datasetId !== null) {
    const own = datasets.flatMap(({ dataset: { id } }) => (isOwn(id) ? [`${id}: ${OWN_IS_NOT_PUBLISHED}`] : []))
    if (own.length > 0) throw new InputError(own)
    return datasets.map(({ dataset }) => ({ dataset, files: filesOf(setup, dataset.id) }))
  }
  const stored = experiment.datasets
    .map(({ dataset }) => ({ dataset, files: artifactFiles(resultsDir, runId, dataset.id) }))
    .filter(({ files }) => existsSync(files.evaluation))
  const publishable = stored.filter(({ dataset: { id } }) => {
    if (isOwn(id)) invocation.stderr.write(`${sanitizeForTerminal(`${id} is left out: ${OWN_IS_NOT_PUBLISHED}`)}\n`)
    return !isOwn(id)
  })
  if (publishable.length > 0) return publishable
  if (stored.length > 0) throw new InputError([`run ${runId} has nothing to publish: ${OWN_IS_NOT_PUBLISHED}`])
  throw new InputError([
    `${resultsDir} has no summary of run ${runId}: name another run by --run-id, or finish it first`,
  ])
}

export const publishCommand: Command = {
  name: 'publish',
  options: {
    ...pickOptions('project', 'manifest', 'run-id', 'results'),
    dataset: textValue('ID,...', 'datasets to publish; all that the run has unless given'),
    'allow-key-examples': KEY_EXAMPLES_OPTION,
  },
  async run(invocation) {
    const setup = await setUpRun(invocation)
    const secrets = join(setup.root, STATE_FOLDER, SECRETS_FILE)
    // The embedded platform's credentials may not be published either.
    if (existsSync(secrets)) await openPlatformSecrets(secrets)
    let notice: string | null = null
    for (const { dataset, files } of datasetsOf(setup, invocation)) {
      const aggregate = await readAggregate(files.evaluation)
      if (aggregate === null)
        throw new InputError([`${files.evaluation} is missing or not a summary: finish the run ${setup.runId} first`])
      const change = await publicationChange(
        setup.root,
        setup.experiment.evaluation.datasets_file,
        dataset.id,
        scopeOf(aggregate),
      )
      const ask = questioner(process.stdin, invocation.stdout)
      const notify = (message: string): void => void invocation.stderr.write(`${sanitizeForTerminal(message)}\n`)
      // A person who cannot be asked has ordered it by the command itself.
      if (change.refusal === null) await announceReplacements([change], ask === null, ask, notify)
      const callable = aggregate.approaches.filter(({ selected }) => selected).length
      const outcome = await publish({
        runId: setup.runId,
        datasetId: dataset.id,
        expectedCells: callable * aggregate.questions.length * aggregate.repeats,
        root: setup.root,
        datasetsFile: setup.experiment.evaluation.datasets_file,
        files,
        allowKeyExamples: flagOption(invocation, 'allow-key-examples'),
        madeBy: await digestsToPublish(
          setup.experiment,
          setup.experiment.datasets.find((one) => one.dataset.id === dataset.id)!,
          aggregate,
        ),
      })
      if (!outcome.ok) throw new ArtifactsInvalidError(outcome.problems)
      invocation.stdout.write(`${dataset.id}: ${outcome.written.join(', ')}\n`)
      notice = leftOverNotice(outcome.leftOver)
    }
    if (notice !== null) invocation.stderr.write(`${sanitizeForTerminal(notice)}\n`)
    return EXIT.ok
  },
}
