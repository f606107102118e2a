import { resolve } from 'node:path'
import { plural } from '../../../contract/words.ts'
import { ZipFileError } from '../../lib/files/zip-files.ts'
import { exportBundle, importBundle } from '../../report/run-bundle.ts'
import { EXIT, flagOption, textOption, textValue, type Invocation } from '../command.ts'
import { artifactPlace, pickOptions, projectFolder } from '../options.ts'
import { KEY_EXAMPLES_OPTION } from '../key-check.ts'
import { commandOfVerbs, type Verbs } from '../verbs.ts'

const VERBS: Verbs<ReturnType<typeof placeOf>> = {
  export: {
    usage: 'export RUN [--output FILE] [--allow-key-examples]',
    about: 'a run with evidence, artifacts and manifests as one zip file',
    takes: [1, 1],
    run: async ({ place, args: [runId = ''], invocation, print }) => {
      const target = resolve(textOption(invocation, 'output') ?? `${runId}.bundle.zip`)
      const { files, datasets } = await exportBundle(place, runId, target, {
        allowKeyExamples: flagOption(invocation, 'allow-key-examples'),
      })
      print(`${target}  ${plural(files, 'file')} of ${plural(datasets.length, 'dataset')}`)
      return EXIT.ok
    },
  },
  import: {
    usage: 'import FILE',
    about: 'a run that another installation wrote',
    takes: [1, 1],
    run: async ({ place, args: [file = ''], print }) => {
      const { runId, datasets } = await importBundle(place, resolve(file))
      print(`run ${runId} with ${plural(datasets.length, 'dataset')} is in ${place.resultsDir}`)
      return EXIT.ok
    },
  },
}

const placeOf = (invocation: Invocation) => ({
  place: { ...artifactPlace(invocation), root: projectFolder(invocation) },
})

export const bundleCommand = commandOfVerbs({
  name: 'bundle',
  verbs: VERBS,
  positionals: 'export RUN | import FILE',
  options: {
    ...pickOptions('project', 'results'),
    output: textValue('FILE', 'zip file to write; RUN.bundle.zip unless given'),
    'allow-key-examples': KEY_EXAMPLES_OPTION,
  },
  load: (invocation) => Promise.resolve(placeOf(invocation)),
  inputProblem: (error) => (error instanceof ZipFileError ? error.message : null),
})
