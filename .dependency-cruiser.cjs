// Who may import whom. `npm run check` also asserts how many modules were read, so that a cruise over nothing cannot pass.
const area = (name) => `^${name}/`
const isTest = '\\.test\\.ts$'

// Folders of main, from below. A file imports its own folder and those of the lines before it; folders of one line do not know each other.
const LAYERS = [
  ['lib'],
  ['supervisor'],
  ['evidence'],
  ['manifests'],
  ['statistics'],
  ['evaluation', 'judge'],
  ['report'],
  ['run-index'],
  ['runner'],
  ['engine'],
  ['cli'],
  ['shell'],
]

const layerRules = LAYERS.flatMap((layer, place) =>
  layer.map((folder) => ({
    name: `main-${folder}-imports-only-what-is-below`,
    severity: 'error',
    from: { path: area(`main/${folder}`), pathNot: isTest },
    to: {
      path: LAYERS.slice(place)
        .flat()
        .filter((other) => other !== folder)
        .map((other) => area(`main/${other}`)),
    },
  })),
).filter(({ to }) => to.path.length > 0)

module.exports = {
  forbidden: [
    {
      name: 'no-circular',
      severity: 'error',
      from: {},
      to: { circular: true, viaOnly: { dependencyTypesNot: ['type-only'] } },
    },
    { name: 'not-resolvable', severity: 'error', from: {}, to: { couldNotResolve: true } },
    {
      name: 'contract-imports-zod-only',
      severity: 'error',
      // Runner and platform read manifests alike; pages do not load this file.
      from: { path: area('contract'), pathNot: [isTest, '^contract/manifests/quick-yaml\\.ts$'] },
      to: { pathNot: [area('contract'), '^node_modules/zod/', '^node_modules/@orpc/contract/'] },
    },
    {
      name: 'charts-know-only-the-contract',
      severity: 'error',
      from: { path: area('charts'), pathNot: isTest },
      to: { pathNot: [area('charts'), area('contract'), '^node_modules/(react|recharts|@types/react)/'] },
    },
    {
      // Pages and the report draw the same charts. Recharts takes a third of a second to load, so nothing else may.
      name: 'only-pages-and-the-report-draw-charts',
      severity: 'error',
      from: { pathNot: [area('charts'), area('renderer'), '^main/report/html/', '^tests/'] },
      to: { path: area('charts') },
    },
    {
      name: 'providers-know-only-the-contract',
      severity: 'error',
      from: { path: area('providers'), pathNot: isTest },
      to: { path: ['^main/', '^preload/', '^renderer/', '^tests/', '^build/'] },
    },
    {
      name: 'no-provider-imports-another',
      severity: 'error',
      from: { path: '^providers/([^/]+)/', pathNot: isTest },
      to: { path: '^providers/([^/]+)/', pathNot: ['^providers/$1/', '^providers/kit/'] },
    },
    {
      name: 'kit-imports-no-provider',
      severity: 'error',
      from: { path: '^providers/kit/' },
      to: { path: '^providers/(?!kit/)' },
    },
    {
      name: 'main-knows-only-the-contract',
      severity: 'error',
      from: { path: area('main'), pathNot: isTest },
      to: { path: ['^providers/', '^preload/', '^renderer/', '^tests/', '^build/'] },
    },
    {
      name: 'only-the-shell-imports-electron',
      severity: 'error',
      // The helper is a main process of its own, for specs of the shell's launcher.
      from: { pathNot: ['^main/shell/', '^main/index\\.ts$', '^preload/', '^tests/helpers/utility-host\\.ts$'] },
      to: { path: '^node_modules/electron/' },
    },
    {
      name: 'nothing-imports-a-host',
      severity: 'error',
      from: { pathNot: '^tests/' },
      to: { path: ['^main/index\\.ts$', '^main/cli\\.ts$', '^providers/[^/]+/(index|main)\\.ts$'] },
    },
    {
      name: 'no-test-in-production',
      severity: 'error',
      from: { pathNot: [isTest, '^tests/'] },
      to: { path: [isTest, '^tests/'] },
    },
    {
      name: 'no-dev-dependency-in-production',
      severity: 'error',
      from: { path: '^(contract|charts|main|providers|preload)/', pathNot: isTest },
      to: { dependencyTypes: ['npm-dev'], dependencyTypesNot: ['type-only'], pathNot: '^node_modules/electron/' },
    },
    ...layerRules,
  ],
  options: {
    doNotFollow: { path: 'node_modules' },
    tsConfig: { fileName: 'tsconfig.json' },
    tsPreCompilationDeps: true,
    enhancedResolveOptions: {
      exportsFields: ['exports'],
      conditionNames: ['import', 'require', 'node', 'default', 'types'],
    },
  },
}
