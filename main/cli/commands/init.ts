import { resolve } from 'node:path'
import { makeProject } from '../../manifests/project/make-project.ts'
import { PROGRAM } from '../../manifests/project/program-revision.ts'
import { projectProblem } from '../../manifests/project/project-folder.ts'
import { InputError } from '../../manifests/runner-inputs.ts'
import { EXIT, type Command } from '../command.ts'

export const initCommand: Command = {
  name: 'init',
  positionals: '[folder]',
  options: {},
  async run({ positionals, stdout }) {
    if (positionals.length > 1) throw new InputError(['init takes one folder; the current one unless it is named'])
    const folder = resolve(positionals[0] ?? '.')
    if (projectProblem(folder) === null) throw new InputError([`${folder} is a project already: nothing was changed`])
    await makeProject(folder, PROGRAM)
    const option = positionals.length === 0 ? '' : ` --project ${positionals[0]}`
    stdout.write(
      [
        `${folder} is a project now: questions and settings in manifests/, documents in corpus/. Try:`,
        `  rag-ladder ladder${option} --dataset smoke --no-cold-reset --no-publish`,
        `  rag-ladder serve${option}`,
        '',
      ].join('\n'),
    )
    return EXIT.ok
  },
}
