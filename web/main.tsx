import { render } from 'preact';
import 'uplot/dist/uPlot.min.css';
import './styles/index.css';
import { App } from './app.tsx';
import { startTheme } from './theme.ts';

startTheme();
render(<App />, document.body);
