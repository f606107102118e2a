import type { SettingsTab } from '../../app/search-params.ts'

/** The texts of the page Settings. */
export const SETTINGS_WORDS = {
  page: {
    endpointsAndModels: 'Endpoints and models',
    tokens: 'Tokens',
    dataAndIndex: 'Data and index',
    look: 'Appearance',
    settings: 'Settings',
    parts: 'Part of the settings',
    theSettings: 'The settings',
  },

  engineForm: {
    gateway_url: 'Gateway',
    platform_url: 'Platform',
    evaluator_url: 'Evaluator',
    judge_endpoint: 'Judges',
    settingsSaved: 'Settings saved',
    endpointsAndModels: 'Endpoints and models',
    exampleAddress: 'http://127.0.0.1:8000',
    model_set: 'Model set',
    default: 'default',
    concurrency: 'Concurrency',
    judge_models: 'Judge models',
    saveSettings: 'Save settings',
  },

  indexPanel: {
    project: 'Project',
    results: 'Results',
    publishedResults: 'Published results',
    theEnginesOwn: 'The engine’s own',
    indexRebuiltCells: (cells: string) => `Index rebuilt: ${cells} answers`,
    rebuilding: 'Rebuilding',
    verifying: 'Verifying',
    dataAndIndex: 'Data and index',
    theIndex: 'The index',
    wholeIndex: 'index',
    indexAbout: (runs: string, cells: string, sizeBytes: string) =>
      `${runs} runs, ${cells} answers, ${sizeBytes}. The index is rebuilt from the result files: deleting it is safe.`,
    noReason: 'no reason was given',
    theIndexFailed: (message: string) => `▲ The index failed: ${message}`,
    rebuildingTheIndex: 'Rebuilding the index',
    rebuildingCells: (cells: string, runs: string) => `Rebuilding: ${cells} answers of ${runs} runs so far`,
    verifyIndex: 'Verify index',
    rebuildIndex: 'Rebuild index',
    right: '● right',
    problems: (problemCount: string) => `▲ ${problemCount} problems`,
    rowsInFiles: (ok: string, rows: string, files: string, bytes: string) =>
      `${ok}: ${rows} rows in ${files} files, ${bytes}`,
  },

  connectionsPanel: {
    title: 'Connections',
    about: 'services outside of this program',
    theConnections: 'the connections',
    service: 'Service',
    address: 'Address',
    from: 'From',
    variable: 'Variable that replaces it',
    allow: 'Allow…',
    allowOf: (service: string) => `Allow the address of ${service}`,
    allowTitle: (origin: string) => `Allow ${origin}?`,
    allowAbout: (service: string) =>
      `The project names this address for ${service}, and a project may come from anyone. Texts of yours and keys that belong to it are sent there. It is used from the next start of this app.`,
    allowConfirm: 'Allow address',
    keep: 'Cancel',
    allowing: 'Allowing the address',
    sources: {
      setting: 'this page',
      variable: 'its variable',
      file: 'manifests/connections.yaml',
      allowed: 'manifests/connections.yaml, used from the next start of this app',
      not_allowed: 'manifests/connections.yaml, which you have not allowed yet',
      none: 'not set',
    },
  },

  lookPanel: {
    look: 'Appearance',
    colours: 'Colours',
    asTheSystem: 'Match system',
    light: 'Light',
    dark: 'Dark',
    density: 'Density',
    comfortable: 'Comfortable',
    compact: 'Compact',
  },

  secretsPanel: {
    keep: 'Save',
    forget: 'Remove',
    tokens: 'Tokens',
    tokensAbout: 'never shown again, never written to a row',
    sessionsEnded: 'Every browser session has ended: a new link opens the panel again',
    endingTheSessions: 'Ending the sessions',
    endSessions: 'End sessions',
    endAbout: 'closes the panel in every browser that a link has opened, this one included',
    keptInStore: 'kept in this system’s secret store',
    keptUntilEnd: 'kept until the engine ends',
    keptForNextStart: 'kept in this system’s secret store; the engine gets it when it starts next',
    fromTheEnvironment: 'from the environment',
    notSet: 'not set',
    fromBrowser:
      'Tokens entered here are kept in memory until the engine stops. The desktop app stores tokens in the system’s secret store.',
    fromDesktop:
      'The desktop app keeps a token encrypted by this system’s secret store and gives it to the engine whenever that starts.',
    noStore:
      'This system offers no secret store, so the engine forgets a token when it ends. Set it in the environment to have it at each start.',
  },
} as const

/** The parts of the page, in their order. */
export const SETTINGS_PARTS: { value: SettingsTab; label: string }[] = [
  { value: 'models', label: SETTINGS_WORDS.page.endpointsAndModels },
  { value: 'tokens', label: SETTINGS_WORDS.page.tokens },
  { value: 'data', label: SETTINGS_WORDS.page.dataAndIndex },
  { value: 'look', label: SETTINGS_WORDS.page.look },
]
