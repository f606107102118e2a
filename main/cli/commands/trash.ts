import { join, resolve } from 'node:path'
import { bytesWords, plural } from '../../../contract/words.ts'
import { JournalEntry, RunJournal } from '../../engine/run-control/run-journal.ts'
import type { RemovedRun } from '../../../contract/control/stored-runs.ts'
import { emptyTrash, listTrash, restoreTrash, TRASH_DAYS, TrashError } from '../../lib/files/trash.ts'
import { STATE_FOLDER } from '../../manifests/project/project-folder.ts'
import { EXIT, flag, flagOption } from '../command.ts'
import { pickOptions, projectFolder } from '../options.ts'
import { commandOfVerbs, type Verbs } from '../verbs.ts'

// The trash holds what cold resets and removed runs left, for as long as it is kept. The panel's page Runs shows the same trash.

const WHY: Readonly<Record<RemovedRun['why'], string>> = {
  removed: 'removed run',
  cold_reset: 'files of a cold reset',
  collections: 'collections of a cold reset',
}

const describe = ({ trash_id: name, why, files, size_bytes: size }: RemovedRun): string =>
  `${name}  ${WHY[why]} · ${plural(files, 'file')} · ${bytesWords(size)}`

const VERBS: Verbs<{ stateDir: string }> = {
  list: {
    usage: 'list',
    about: `what the trash has; each entry is kept for ${TRASH_DAYS} days`,
    takes: [0, 0],
    run: async ({ stateDir, print }) => {
      const entries = await listTrash(stateDir)
      if (entries.length === 0) print('The trash is empty.')
      for (const entry of entries) print(describe(entry))
      return EXIT.ok
    },
  },
  restore: {
    usage: 'restore NAME [--replace]',
    about: 'moves an entry back; with --replace, what is there now goes to the trash',
    takes: [1, 1],
    run: async ({ stateDir, args: [name = ''], invocation, print }) => {
      const { entry, journal, replaced } = await restoreTrash(stateDir, name, {
        replace: flagOption(invocation, 'replace'),
      })
      const run = JournalEntry.safeParse(journal).data
      // A panel that is open knows its runs; it shows this one after its next start.
      if (run !== undefined) await new RunJournal(join(stateDir, 'runs')).save(run)
      print(`${plural(entry.files, 'file')} of ${entry.run_id} restored`)
      if (replaced !== null) print(`what was there is in the trash: ${describe(replaced)}`)
      return EXIT.ok
    },
  },
  empty: {
    usage: 'empty',
    about: 'removes every entry for good',
    takes: [0, 0],
    run: async ({ stateDir, print }) => {
      const gone = await emptyTrash(stateDir)
      const size = gone.reduce((sum, { size_bytes: bytes }) => sum + bytes, 0)
      print(`${plural(gone.length, 'entry', 'entries')} removed for good (${bytesWords(size)})`)
      return EXIT.ok
    },
  },
}

export const trashCommand = commandOfVerbs({
  name: 'trash',
  positionals: '<verb> [NAME]',
  options: {
    ...pickOptions('project'),
    replace: flag('restore: what is there now goes to the trash in exchange'),
  },
  verbs: VERBS,
  load: async (invocation) => ({ stateDir: resolve(projectFolder(invocation), STATE_FOLDER) }),
  inputProblem: (error) => (error instanceof TrashError ? error.message : null),
})
