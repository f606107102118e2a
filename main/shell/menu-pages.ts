/** Pages that the native menu goes to, with the numbers of their keys; a test holds them against the panel's own list. */
export const MENU_PAGES = [
  { path: '/', label: 'Home' },
  { path: '/launch', label: 'Launch' },
  { path: '/ladder', label: 'Ladder' },
  { path: '/result', label: 'Result' },
  { path: '/matrix', label: 'Matrix' },
  { path: '/coverage', label: 'Coverage' },
  { path: '/compare', label: 'Compare' },
  { path: '/datasets', label: 'Datasets' },
  { path: '/providers', label: 'Providers' },
  { path: '/settings', label: 'Settings' },
] as const
