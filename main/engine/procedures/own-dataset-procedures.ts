import type { LinePassage, OwnDataset } from '../../../contract/control/own-datasets.ts'
import type { Question } from '../../../contract/manifests/queries.ts'
import type { LadderDataset } from '../../manifests/experiment.ts'
import { IMPORTERS } from '../../manifests/datasets/importers/formats.ts'
import {
  addOwnDocument,
  createOwnDataset,
  DatasetEditError,
  isOwnDataset,
  readOwnDataset,
  removedDatasets,
  removeOwnDataset,
  removeOwnDocument,
  removeQuestion,
  restoreOwnDataset,
  restoreOwnDocument,
  saveQuestions,
  updateOwnDataset,
  type OwnDataset as StoredDataset,
} from '../../manifests/datasets/own-datasets.ts'
import { guessFormat } from '../../manifests/datasets/question-file.ts'
import { ControlFailure } from '../control-failure.ts'
import { documentTexts } from '../corpora/document-texts.ts'
import { goldPassages } from '../corpora/gold-passages.ts'
import { importSteps, zipPieces } from '../corpora/dataset-transfer.ts'
import { importUpload, previewUpload } from '../corpora/uploaded-zip.ts'
import {
  checkDataset,
  ownDatasetView,
  previewedLines,
  previewQuestions,
  questionsPage,
} from '../corpora/own-dataset-view.ts'
import type { EngineParts } from '../engine-parts.ts'
import { datasetView } from '../experiment-view.ts'
import { newestSummaries } from '../run-control/preview-run.ts'
import { control, untilEither, withControlErrors } from './control-api.ts'
import { draftProcedures } from './draft-procedures.ts'
import { streamInputProblems, withInputProblems } from './input-problems.ts'
import { datasetOf, refuseUnderRun } from './project-procedures.ts'
import { oneAfterAnother } from '../../lib/one-after-another.ts'

const CONFIRMED = 'The gold passage was looked up by the words of the expected answer and confirmed by a person.'

/** The question with the passages that a person confirmed for it as its gold facts. */
function withConfirmed(question: Question, passages: readonly LinePassage[]): Question {
  if (passages.length === 0) return question
  const gold = passages.map(({ document, fact }) => ({ document, fact }))
  return { ...question, gold: [...question.gold, ...gold], rationale: question.rationale ?? CONFIRMED }
}

export function ownDatasetProcedures(parts: EngineParts) {
  const { root } = parts.config
  const inTurn = oneAfterAnother()

  const owned = async (id: string): Promise<LadderDataset> => {
    const dataset = await datasetOf(parts, id)
    if (isOwnDataset(dataset)) return dataset
    throw new ControlFailure('input_invalid', `${id} is part of the project: duplicate it to edit the copy`, {
      problems: [{ path: 'dataset_id', message: 'part of the project: duplicate it to edit the copy' }],
    })
  }
  const change = <Result>(work: () => Promise<Result>): Promise<Result> =>
    inTurn(() => {
      refuseUnderRun(parts, 'datasets do not change under it')
      return withInputProblems(work)
    })
  const texts = documentTexts(() => parts.services.addressFor('converter'))
  const view = async (stored: StoredDataset): Promise<OwnDataset> =>
    ownDatasetView(root, await datasetOf(parts, stored.id), stored)

  return {
    ...draftProcedures(parts, { inTurn, owned, change, view }),
    create: control.datasets.create.handler(({ input }) =>
      change(async () => {
        const { copy_of: source, ...fields } = input
        const copied = source === undefined ? null : await datasetOf(parts, source)
        await createOwnDataset(await parts.experiment.current(), fields, copied)
        return datasetView(await datasetOf(parts, input.id))
      }),
    ),
    importFormats: control.datasets.importFormats.handler(() =>
      IMPORTERS.map(({ id, label, expects, licence }) => ({ id, label, expects, licence })),
    ),
    importFolder: control.datasets.importFolder.handler(async ({ input, signal }) => {
      refuseUnderRun(parts, 'datasets do not change under it')
      const steps = importSteps(await parts.experiment.current(), input, untilEither(signal, parts.stopping))
      return withControlErrors(streamInputProblems(steps), parts.report)
    }),
    previewZip: control.datasets.previewZip.handler(({ input }) => withInputProblems(() => previewUpload(input))),
    uploadZip: control.datasets.uploadZip.handler(({ input }) =>
      change(async () => {
        await importUpload(await parts.experiment.current(), input)
        return datasetView(await datasetOf(parts, input.id))
      }),
    ),
    exportZip: control.datasets.exportZip.handler(async ({ input }) => {
      await owned(input.dataset_id)
      return withControlErrors(streamInputProblems(zipPieces(root, input.dataset_id)), parts.report)
    }),
    own: control.datasets.own.handler(async ({ input }) => {
      const dataset = await owned(input.dataset_id)
      return ownDatasetView(root, dataset, await readOwnDataset(root, input.dataset_id))
    }),
    ownQuestions: control.datasets.ownQuestions.handler(async ({ input: { dataset_id: id, ...page } }) =>
      questionsPage((await owned(id)).questions, page),
    ),
    update: control.datasets.update.handler(({ input }) =>
      change(async () => {
        const { dataset_id: id, revision, ...settings } = input
        await owned(id)
        return view(await updateOwnDataset(root, id, revision, settings))
      }),
    ),
    remove: control.datasets.remove.handler(({ input }) =>
      change(async () => {
        await owned(input.dataset_id)
        return { trash_id: await removeOwnDataset(root, input.dataset_id) }
      }),
    ),
    trash: control.datasets.trash.handler(() => removedDatasets(root)),
    restore: control.datasets.restore.handler(({ input }) =>
      change(async () => datasetView(await datasetOf(parts, await restoreOwnDataset(root, input.trash_id)))),
    ),
    addFile: control.datasets.addFile.handler(({ input }) =>
      change(async () => {
        await owned(input.dataset_id)
        return addOwnDocument(root, input.dataset_id, input.name, Buffer.from(input.base64, 'base64'))
      }),
    ),
    removeDocument: control.datasets.removeDocument.handler(({ input }) =>
      change(async () => {
        await owned(input.dataset_id)
        await removeOwnDocument(root, input.dataset_id, input.path)
      }),
    ),
    restoreDocument: control.datasets.restoreDocument.handler(({ input }) =>
      change(async () => {
        await owned(input.dataset_id)
        await restoreOwnDocument(root, input.dataset_id, input.path)
      }),
    ),
    saveQuestion: control.datasets.saveQuestion.handler(({ input }) =>
      change(async () => {
        const dataset = await owned(input.dataset_id)
        const known = new Set(dataset.questions.map(({ id }) => id))
        const stored = await saveQuestions(root, dataset, input.revision, [input.question])
        const made = stored.file.questions.find(({ id }) => !known.has(id))
        return { dataset: await view(stored), question_id: input.question.id ?? made!.id }
      }),
    ),
    removeQuestion: control.datasets.removeQuestion.handler(({ input }) =>
      change(async () => {
        await owned(input.dataset_id)
        return view(await removeQuestion(root, input.dataset_id, input.revision, input.question_id))
      }),
    ),
    readQuestions: control.datasets.readQuestions.handler(({ input }) =>
      withInputProblems(async () => {
        const format = input.format ?? guessFormat(input.text)
        const { lines } = await previewQuestions(root, await owned(input.dataset_id), input.text, format)
        return { format, ...previewedLines(lines) }
      }),
    ),
    findPassages: control.datasets.findPassages.handler(({ input, signal }) =>
      withInputProblems(async () => {
        const dataset = await owned(input.dataset_id)
        const { lines } = await previewQuestions(root, dataset, input.text, input.format ?? guessFormat(input.text))
        const shown = previewedLines(lines).lines.flatMap(({ line, question }) =>
          question ? [{ line, question }] : [],
        )
        const unread: string[] = []
        const documents = texts.of(root, dataset, unread, untilEither(signal, parts.stopping))
        return { ...(await goldPassages(shown, documents)), unread }
      }),
    ),
    importQuestions: control.datasets.importQuestions.handler(({ input }) =>
      change(async () => {
        const dataset = await owned(input.dataset_id)
        const { lines } = await previewQuestions(root, dataset, input.text, input.format ?? guessFormat(input.text))
        const questions = lines.flatMap(({ line, question }) =>
          question === null
            ? []
            : withConfirmed(
                question,
                input.confirmed.filter((each) => each.line === line),
              ),
        )
        if (questions.length === 0)
          throw new DatasetEditError('text', 'no line is a question that can be added: read it first to see why')
        return view(await saveQuestions(root, dataset, input.revision, questions))
      }),
    ),
    check: control.datasets.check.handler(async ({ input }) =>
      checkDataset(root, await datasetOf(parts, input.dataset_id), newestSummaries(parts.index, input.dataset_id)),
    ),
  }
}
