/** The texts of the frame around the pages. */
export const SHELL_WORDS = {
  close: 'Close',

  frame: {
    ctrlK: 'Ctrl K',
    skip: 'Skip to the page',
    ragLadder: 'RAG Ladder',
    searchOrCommand: 'Search or command',
    pages: 'Pages',
    guide: 'Guide',
    linkExpired: 'This link has expired',
    refused:
      'The engine runs, but it does not accept this browser: its one-time link was used elsewhere or is too old.',
    newLink: 'To get a new link, stop ',
    ragLadderServe: 'rag-ladder serve',
    restart: ' with Ctrl-C, start it again and open the link that it prints. In the desktop app, choose ',
    menuItem: 'Open in the browser',
    inItsMenu: ' in its menu.',
    noEngine: ' The engine does not answer. Finished cells are kept; trying again.',
    runUnderWay: 'Run under way',
    of: (datasetNumber: number | null, datasetCount: number) => ` (${datasetNumber} of ${datasetCount})`,
    cells: (done: string, total: string) => `${done}/${total} cells`,
    failed: (failed: string) => `${failed} failed`,
    cellsPerSecond: (rate: string) => `${rate} cells/s`,
    left: (leftMs: string) => `${leftMs} left`,
    cellsDone: 'Cells done',
    resume: 'Resume',
    pause: 'Pause',
    services: 'Services',
    engine: ' engine ',
  },

  commandPalette: {
    runSmoke: 'Run the smoke ladder',
    tour: 'Take the tour',
    look: (scheme: string) => `Appearance: ${scheme}`,
    density: (choice: string) => `Density: ${choice}`,
    pages: 'Pages',
    commands: 'Commands',
    runs: 'Runs',
    questionsAndAnswers: 'Questions and answers',
    nothingFound: 'Nothing found',
    searchHint: 'Page, run, question or answer',
    searchOrCommand: 'Search or command',
  },

  router: {
    noSuchPage: 'Page not found',
    choosePage: 'Choose a page in the menu.',
    thisPageFailed: 'This page failed',
    thePage: 'The page',
  },
} as const
