/** The pages in the order of the menu. */
export const PAGES = [
  { path: '/', label: 'Home', about: 'What is running, last results, services' },
  { path: '/launch', label: 'Launch', about: 'Choose rungs, approaches and metrics; see the plan; start' },
  { path: '/ladder', label: 'Ladder', about: 'The run as it happens' },
  { path: '/matrix', label: 'Matrix', about: 'Questions by approaches' },
  { path: '/coverage', label: 'Coverage', about: 'What was measured, and what was not' },
  { path: '/judges', label: 'Judges', about: 'Grade answers without names; then see how far the judges agree' },
  { path: '/compare', label: 'Compare', about: 'Quality against latency; run against run' },
  { path: '/datasets', label: 'Datasets', about: 'Documents, questions, gold facts' },
  { path: '/documents', label: 'Documents', about: 'Convert files; original beside result' },
  { path: '/speech', label: 'Speech', about: 'Speech to text, text to speech, speakers' },
  { path: '/voices', label: 'Voices', about: 'Record a voice, speak in it' },
  { path: '/providers', label: 'Providers', about: 'Services, their health and logs' },
  { path: '/settings', label: 'Settings', about: 'Endpoints, models, look, index' },
] as const
