/** Pages that the native menu goes to, in the groups of the panel; a test holds them against the panel's own list. The first nine have keys. */
export const MENU_GROUPS = [
  [{ path: '/', label: 'Home' }],
  [
    { path: '/launch', label: 'Launch' },
    { path: '/ladder', label: 'Progress' },
  ],
  [
    { path: '/runs', label: 'Runs' },
    { path: '/result', label: 'Result' },
    { path: '/matrix', label: 'Matrix' },
    { path: '/coverage', label: 'Coverage' },
    { path: '/judges', label: 'Judges' },
    { path: '/compare', label: 'Compare' },
  ],
  [
    { path: '/datasets', label: 'Datasets' },
    { path: '/documents', label: 'Documents' },
    { path: '/speech', label: 'Speech' },
    { path: '/voices', label: 'Voices' },
  ],
  [
    { path: '/providers', label: 'Services' },
    { path: '/models', label: 'Models' },
    { path: '/settings', label: 'Settings' },
  ],
  [{ path: '/help', label: 'Help' }],
] as const
