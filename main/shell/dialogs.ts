import { dialog, shell, type BrowserWindow, type MessageBoxOptions } from 'electron'

type Parent = BrowserWindow | null

/** Asks; the index of the button that was pressed. */
async function ask(parent: Parent, options: MessageBoxOptions): Promise<number> {
  const { response } = await (parent === null ? dialog.showMessageBox(options) : dialog.showMessageBox(parent, options))
  return response
}

/** Offers a public site, with its name in plain sight: a link's text does not show where it leads. */
export async function offerLink(parent: Parent, link: string): Promise<void> {
  const choice = await ask(parent, {
    type: 'question',
    message: `Open ${new URL(link).hostname} in your browser?`,
    detail: link,
    buttons: ['Open', 'Cancel'],
    defaultId: 1,
    cancelId: 1,
  })
  if (choice === 0) await shell.openExternal(link)
}

/** Asks whether to quit although a run is under way. */
export async function confirmQuit(parent: Parent, runId: string): Promise<boolean> {
  const choice = await ask(parent, {
    type: 'warning',
    message: `The run ${runId} is under way`,
    detail:
      'If you quit, it stops after the answers in flight. Every finished answer is kept, and the run can be resumed.',
    buttons: ['Quit', 'Keep running'],
    defaultId: 1,
    cancelId: 1,
  })
  return choice === 0
}

/** Reports that the engine does not stay up, with the end of what it printed. */
export async function tellEngineFailed(
  parent: Parent,
  reason: string,
  lines: string[],
): Promise<'again' | 'project' | 'quit'> {
  const choice = await ask(parent, {
    type: 'error',
    message: 'The engine does not stay up',
    detail: [reason, '', ...lines].join('\n'),
    buttons: ['Start again', 'Open another project…', 'Quit'],
    defaultId: 0,
    cancelId: 0,
  })
  return (['again', 'project', 'quit'] as const)[choice] ?? 'again'
}

/** Shows text that was printed. */
export async function showLines(parent: Parent, title: string, lines: string[]): Promise<void> {
  await ask(parent, { type: 'info', message: title, detail: lines.join('\n') || 'Nothing has been printed.' })
}

/** A folder; null when the person cancelled. */
export async function chooseFolder(parent: Parent, defaultPath: string): Promise<string | null> {
  const options = {
    title: 'Open project',
    defaultPath,
    properties: ['openDirectory' as const, 'createDirectory' as const],
  }
  const { canceled, filePaths } = await (parent === null
    ? dialog.showOpenDialog(options)
    : dialog.showOpenDialog(parent, options))
  return canceled ? null : (filePaths[0] ?? null)
}

/** Asks whether to make a project in a folder that is none. */
export async function confirmNewProject(parent: Parent, folder: string): Promise<boolean> {
  const choice = await ask(parent, {
    type: 'question',
    message: 'Start a new project here?',
    detail: `${folder} has no manifests. The manifests and documents that come with RAG Ladder are copied there; nothing in it is changed.`,
    buttons: ['Start here', 'Cancel'],
    defaultId: 0,
    cancelId: 1,
  })
  return choice === 0
}
