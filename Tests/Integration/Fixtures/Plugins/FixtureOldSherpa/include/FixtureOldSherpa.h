const char *SherpaOnnxGetVersionStr(void);
