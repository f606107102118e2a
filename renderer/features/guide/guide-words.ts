/** The texts of the page Help. */
export const GUIDE_WORDS = {
  page: {
    help: 'Help',
    tour: 'Take the tour',
    guide: 'Guide',
    theGuide: 'The guide',
    unknownPage: 'No such page in the guide',
    choosePage: 'Choose one of the pages on the left.',
  },

  guideView: {
    code: 'Code',
    table: 'Table',
  },
} as const
